"""Does the model server behave as one that sleeps and wakes?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx

from examples.model_server.model import AT_ONCE
from horae.local import ports
from tests.examples.model_servers import Server, run, serving
from tests.examples.task_managers import await_that


def test_a_sleeping_server_answers_no_completion_and_a_woken_one_does() -> None:
    with serving() as server:
        assert server.ask() == 200
        server.client.post("/sleep", params={"level": 1}).raise_for_status()
        assert (server.is_sleeping, server.ask()) == (True, 503)
        server.client.post("/wake_up").raise_for_status()

        assert (server.is_sleeping, server.ask()) == (False, 200)


def test_after_a_sleep_at_level_2_the_weights_are_loaded_before_it_answers() -> None:
    with serving() as server:
        server.client.post("/sleep", params={"level": 2}).raise_for_status()
        server.client.post("/wake_up").raise_for_status()
        assert server.ask() == 500
        server.client.post("/sleep", params={"level": 2}).raise_for_status()
        server.client.post("/wake_up", params={"tags": "weights"}).raise_for_status()
        server.post("/collective_rpc", method="reload_weights").raise_for_status()
        assert server.is_sleeping
        server.client.post("/wake_up", params={"tags": "kv_cache"}).raise_for_status()

        assert (server.is_sleeping, server.ask()) == (False, 200)


def test_its_numbers_are_those_of_the_requests_that_there_were() -> None:
    with serving() as server, ThreadPoolExecutor(AT_ONCE + 2) as many:
        answers = [many.submit(server.ask, 0.5) for _ in range(AT_ONCE + 2)]
        await_that(lambda: server.counts[:2] == (AT_ONCE, 2))
        assert [one.result() for one in answers] == [200] * (AT_ONCE + 2)
        counts = server.counts

        assert counts[:2] == (0, 0)
        assert counts.finished == AT_ONCE + 2
        assert counts.seconds is not None
        # Waiting is a part of it.
        assert counts.seconds > 0.5 * (AT_ONCE + 2)


def test_load_is_dialled_and_turned_off_again() -> None:
    with serving() as server:
        server.post("/load", rate=6_000, seconds=0).raise_for_status()
        await_that(lambda: (server.counts.finished or 0) >= 5)
        server.post("/load", rate=0).raise_for_status()
        await_that(lambda: server.counts.in_flight == 0)
        before = server.counts

        assert server.counts == before


def test_what_is_to_fail_fails_that_often() -> None:
    with serving() as server:
        server.faults(sleeps=1, wakes=1)
        answers = [server.client.post(path).status_code for path in ("/sleep", "/wake_up") * 2]
        server.faults(locked=True, sick=True)

        assert answers == [500, 500, 200, 200]
        assert server.client.post("/sleep").status_code == 423
        assert server.client.get("/health").status_code == 503


def test_it_is_started_and_ended_from_outside() -> None:
    port = ports.choose()
    server = Server(f"http://127.0.0.1:{port}")
    run(port, "--behind", "--model", "m")
    try:
        assert server.client.get("/health").status_code == 200
    finally:
        server.client.close()
        run(port, "--end")
    try:
        httpx.get(server.url, trust_env=False)
    except httpx.ConnectError:
        return
    raise AssertionError("it goes on")
