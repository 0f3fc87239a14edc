"""Is a task that a request only began followed to its real end?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from threading import Event, Thread, Timer
from typing import Any

import pytest

from schemas.actions import Follow, Http
from schemas.commands import ReportStatus
from schemas.units import SECOND
from streams.runner import following
from streams.runner.http import RequestAttempt
from streams.runner.work import Outcome
from tests.runner.orders import attempt_of, carried_out, order_of
from tests.runner.other_side import Asked, Say, Service, service

SOON = SECOND // 50
Statuses = dict[str, Iterator[Say]]


def tasks(begun: object, **statuses: list[Say]) -> Callable[[Asked], Say]:
    """Answers a request with this, and the status of each task with these, the last for ever."""
    left = {task: chain(said[:-1], repeat(said[-1])) for task, said in statuses.items()}

    def answer(asked: Asked) -> Say:
        if asked.method == "POST":
            return Say(202, begun)
        return next(left[asked.path.removeprefix("/tasks/")])

    return answer


def now(status: object) -> Say:
    return Say(200, {"status": status})


def work_at(other: Service, task: str = "/id", **other_words: Any) -> Http:
    follow = Follow(f"{other.url}/tasks/{{task}}", task, every=SOON, **other_words)
    return Http(f"{other.url}/tasks", follow=follow)


def test_a_run_ends_when_its_task_does() -> None:
    goes_on = [now("waiting"), now("running"), now("running"), now("Completed")]
    with service(tasks({"id": "t1"}, t1=goes_on)) as other:
        outcome, output = carried_out(order_of(work_at(other)), other.url)

    assert outcome.status is ReportStatus.SUCCESS
    assert (outcome.exit_code, outcome.reference) == (202, "t1")
    assert outcome.detail == "task t1 ended Completed"
    assert other.paths() == ["POST /tasks", *["GET /tasks/t1"] * 4]
    assert [line for line in output.splitlines() if line.startswith("task t1: ")] == [
        "task t1: waiting",
        "task t1: running",
        "task t1: Completed",
    ]


@pytest.mark.parametrize("status", ["failed", "ERROR", "terminated", "cancelled"])
def test_a_task_that_fails_is_a_failure_that_names_it(status: str) -> None:
    ends = [now("running"), Say(200, {"status": status, "message": "fan 3 is broken"})]
    with service(tasks({"id": 17}, **{"17": ends})) as other:
        outcome, output = carried_out(order_of(work_at(other)), other.url)

    assert (outcome.status, outcome.reference) == (ReportStatus.FAILED, "17")
    assert outcome.detail == f"task 17 ended {status}"
    assert "fan 3 is broken" in output


@pytest.mark.parametrize(
    ("begun", "why"),
    [
        ({"id": []}, "the answer names no task: an empty list at '/id'"),
        ({"task": "t1"}, "the answer has nothing at '/id'"),
        ({"id": None}, "the answer names a task by something that is no id"),
        ({"id": ""}, "the answer names a task by something that is no id"),
        ({"id": True}, "the answer names a task by something that is no id"),
        ({"id": ["t1", {}]}, "the answer names a task by something that is no id"),
        (["t1"], "the answer has nothing at '/id'"),
        (b"accepted", "the answer is no JSON"),
        ({"id": [*range(101)]}, "the answer names 101 tasks; at most 100 are followed"),
    ],
)
def test_an_answer_that_names_no_task_is_a_failure(begun: object, why: str) -> None:
    """IT-031: an answer without error but with an empty list of task ids is a failed submission."""
    with service(tasks(begun)) as other:
        outcome, _ = carried_out(order_of(work_at(other)), other.url)

    assert (outcome.status, outcome.exit_code) == (ReportStatus.FAILED, 202)
    assert why in outcome.detail
    assert other.paths() == ["POST /tasks"]


def test_several_tasks_are_followed_until_all_have_ended() -> None:
    answers = tasks(
        {"made": [{"ids": ["a", "b", "a"]}]},
        a=[now("failed")],
        b=[now("running"), now("running"), now("success")],
    )
    with service(answers) as other:
        work = work_at(other, "/made/0/ids")
        outcome, _ = carried_out(order_of(work), other.url)

    assert (outcome.status, outcome.reference) == (ReportStatus.FAILED, "a, b")
    assert outcome.detail == "task a ended failed"
    assert other.paths().count("GET /tasks/a") == 1
    assert other.paths().count("GET /tasks/b") == 3


def test_a_pointer_goes_through_names_with_slashes_and_tildes() -> None:
    assert following.task_ids(b'{"a/b": {"~c": ["x"]}}', "/a~1b/~0c/0") == ("x",)
    assert following.task_ids(b'"x"', "") == ("x",)


def test_words_of_its_own_end_a_task() -> None:
    with service(tasks({"id": "t"}, t=[now("done"), now("ok")])) as other:
        work = work_at(other, succeeded=("ok",), failed=("bad",))
        outcome, _ = carried_out(order_of(work), other.url)

    assert outcome.status is ReportStatus.SUCCESS
    assert len(other.asked) == 3


def test_an_id_of_a_task_leads_nowhere_else() -> None:
    answers = tasks({"id": "../racks"}, **{"..%2Fracks": [now("done")]})
    with service(answers) as other:
        outcome, _ = carried_out(order_of(work_at(other)), other.url, patience=0.2)

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert other.paths() == ["POST /tasks"]
    assert outcome.reference == "../racks"


def test_following_survives_a_service_that_is_gone_for_a_short_time() -> None:
    with service(tasks({"id": "t1"}, t1=[now("running")])) as other:
        port, follow = other.port, work_at(other)
        attempt, _ = attempt_of(order_of(follow), other.url)
        ends: list[Outcome] = []
        thread = Thread(target=lambda: ends.append(attempt.run()), daemon=True)
        thread.start()
        await_that(lambda: other.paths().count("GET /tasks/t1") >= 2)
    # It is down now; it comes back, is not itself at first, and then knows the end.
    troubled = [Say(503, b""), Say(200, b"starting"), Say(200, {}), now(7), now("success")]
    with service(tasks({}, t1=troubled), port) as back:
        thread.join(20)

    (outcome,) = ends
    assert outcome.status is ReportStatus.SUCCESS
    assert back.paths() == ["GET /tasks/t1"] * 5


@pytest.mark.parametrize("said", [Say(500, b""), Say(404, b""), Say(200, b"?"), now(None)])
def test_a_task_that_is_not_seen_for_long_is_unavailable_and_may_go_on(said: Say) -> None:
    with service(tasks({"id": "t1"}, t1=[now("running"), said])) as other:
        outcome, _ = carried_out(order_of(work_at(other)), other.url, patience=0.2)

    assert (outcome.status, outcome.reference) == (ReportStatus.UNAVAILABLE, "t1")
    assert "the end of task t1 was not to be seen for 0.2 s, it may go on" in outcome.detail


def test_a_look_that_hangs_is_one_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "LOOK", 0.1)
    over = Event()

    def hang_once(asked: Asked) -> Say:
        if asked.method == "POST":
            return Say(200, {"id": "t1"})
        if len(other.asked) == 2:
            over.wait(20)
        return now("done")

    with service(hang_once) as other:
        outcome, _ = carried_out(order_of(work_at(other)), other.url)
        over.set()

    assert outcome.status is ReportStatus.SUCCESS
    assert len(other.asked) == 3


def test_the_time_of_the_attempt_covers_the_task_too() -> None:
    with service(tasks({"id": "t1"}, t1=[now("running")])) as other:
        outcome, _ = carried_out(order_of(work_at(other)), other.url, timeout=0.3)

    assert (outcome.status, outcome.reference) == (ReportStatus.TIMEOUT, "t1")
    assert outcome.detail == "it is not over after 0.3 s: task t1 goes on at the other side"


def stopped_when(attempt: RequestAttempt, ready: Callable[[], bool], *, kill: bool) -> Outcome:
    """How it ends if it is stopped as soon as this holds."""
    ends: list[Outcome] = []
    thread = Thread(target=lambda: ends.append(attempt.run()), daemon=True)
    thread.start()
    await_that(ready)
    attempt.stop("replaced", kill=kill)
    attempt.stop("again", kill=kill)
    thread.join(20)
    return ends[0]


@pytest.mark.parametrize("kill", [False, True])
def test_a_stop_ends_following_and_says_that_the_task_goes_on(kill: bool) -> None:
    with service(tasks({"id": "t1"}, t1=[now("running")])) as other:
        attempt, _ = attempt_of(order_of(work_at(other)), other.url)
        outcome = stopped_when(attempt, lambda: len(other.asked) > 2, kill=kill)

    assert (outcome.status, outcome.reference) == (ReportStatus.CANCELLED, "t1")
    assert outcome.detail == "replaced: task t1 goes on at the other side"


def test_a_stop_before_the_begin_sends_nothing() -> None:
    with service(tasks({"id": "t1"})) as other:
        attempt, _ = attempt_of(order_of(work_at(other)), other.url)
        attempt.stop("cancelled", kill=False)
        outcome = attempt.run()
        attempt.stop("too late", kill=True)

    assert (outcome.status, outcome.detail) == (
        ReportStatus.CANCELLED,
        "cancelled: nothing was sent",
    )
    assert other.asked == []


@pytest.mark.parametrize("kill", [False, True])
def test_a_request_on_its_way_has_the_grace_to_say_which_task_goes_on(kill: bool) -> None:
    answered = Event()

    def slow(_: Asked) -> Say:
        answered.wait(20)
        return Say(202, {"id": "t1"})

    with service(slow) as other:
        attempt, _ = attempt_of(order_of(work_at(other)), other.url, grace=20)
        later = Timer(0.2, answered.set)
        later.start()
        outcome = stopped_when(attempt, lambda: bool(other.asked), kill=kill)
        answered.set()
        later.join()

    assert outcome.status is ReportStatus.CANCELLED
    assert outcome.reference == (None if kill else "t1")
    assert other.paths() == ["POST /tasks"]


def test_a_request_that_is_not_answered_within_the_grace_is_given_up() -> None:
    answered = Event()

    def never(_: Asked) -> Say:
        answered.wait(20)
        return Say(200)

    with service(never) as other:
        attempt, _ = attempt_of(order_of(Http(other.url)), other.url, grace=0.1, timeout=None)
        outcome = stopped_when(attempt, lambda: bool(other.asked), kill=False)
        answered.set()

    assert outcome.status is ReportStatus.CANCELLED
    assert outcome.detail == "replaced: the request was sent; whether it was done is not known"


def await_that(ready: Callable[[], bool]) -> None:
    """Wait, at most 20 s, until this holds."""
    never = Event()
    for _ in range(2_000):
        if ready():
            return
        never.wait(0.01)
    raise AssertionError("it did not come to that")
