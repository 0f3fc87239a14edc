"""What do the commands about proposals say, do, and end with?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from horae.cli import asking as asking_module
from horae.cli import proposals as proposals_module
from horae.cli import proposing as proposing_module
from horae.client import ClientFault, NoReply, Order
from projections import traffic_queries
from projections.paging import page_of, place_of
from projections.shown import Page
from projections.shown_traffic import ProposalShown
from schemas.profiles import Profile
from schemas.proposals import AcceptProposal, DismissProposal, Propose, WithdrawProposal
from schemas.replies import Reply, Verdict
from tests.face.proposed import PROPOSED_AT, a_row
from tests.face.typed import run
from tests.proposals.played_endpoint import Said, decided, playing
from tests.proposals.weeks import week

T = TypeVar("T")


class World:
    """Views with these profiles and proposals, and a processor that takes everything."""

    def __init__(self) -> None:
        self.profiles: list[Profile] = []
        self.rows: list[ProposalShown] = []
        self.sent: list[Order] = []
        self.verdict: Verdict | None = Verdict.ACCEPTED

    def look(self, question: Callable[[Any], T]) -> T:
        return question(self)

    def schedule(self, _: str) -> None:
        return None

    def ask(self, order: Order) -> Reply:
        [reply] = self.ask_many([order])
        if isinstance(reply, ClientFault):
            raise reply
        return reply

    def ask_many(self, orders: Sequence[Order]) -> list[Reply | ClientFault]:
        self.sent += orders
        if self.verdict is None:
            return [NoReply(0, 0, 10.0) for _ in orders]
        message = "there is one already" if self.verdict is Verdict.REFUSED else None
        return [
            Reply(one.about, "propose", self.verdict, PROPOSED_AT, 0, 0, message=message)
            for one in orders
        ]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    found = World()

    @contextmanager
    def given(*_: object) -> Iterator[World]:
        yield found

    def proposals(
        _: Any,
        *,
        status: str | None = None,
        subject: str | None = None,
        after: str | None = None,
        limit: int = 1_000,
    ) -> Page[ProposalShown]:
        rows = [one for one in found.rows if status in (None, one.status)]
        rows = [one for one in rows if subject in (None, one.subject)]
        begin = int(place_of(after, [0])[0])
        return page_of(rows[begin:], limit, lambda row: [rows.index(row) + 1])

    def profile(_: Any, subject: str) -> Profile | None:
        return next((one for one in found.profiles if one.subject == subject), None)

    monkeypatch.setattr(proposals_module, "views", given)
    monkeypatch.setattr(proposing_module, "views", given)
    monkeypatch.setattr(asking_module, "asking", given)
    for name, answer in {
        "proposals": proposals,
        "proposal": lambda _, wanted: next((o for o in found.rows if o.id == wanted), None),
        "profile": profile,
        "profiles": lambda _: iter(found.profiles),
        "deployments": lambda _: [SimpleNamespace(subject=o.subject) for o in found.profiles],
    }.items():
        monkeypatch.setattr(traffic_queries, name, answer)
    return found


def test_a_round_proposes_withdraws_and_says_of_each_why(world: World) -> None:
    busy = a_row(subject="busy", id="pp_old", zone="UTC")
    world.profiles = [week(subject="busy"), week((22, 8)), week((22, 3), subject="short")]
    world.rows = [busy]

    code, said, noted = run("propose")

    assert (code, noted) == (0, "")
    lines = {line.split()[0]: line for line in said.splitlines()[2:]}
    assert "withdraw pp_old" in lines["busy"]
    assert "no 2 h in a row are idle" in lines["busy"]
    assert "mon 22:00 to tue 05:45" in lines["llama"]
    assert "propose pp_" in lines["llama"]
    assert "the model is off" in lines["llama"]
    assert "each window is shorter than 4 h" in lines["short"]
    kinds = {one.about: type(one.command) for one in world.sent}
    assert kinds == {"busy/": WithdrawProposal, "llama/": Propose}


def test_a_dry_run_sends_nothing_and_json_says_all(world: World) -> None:
    world.profiles = [week((22, 8)), week((22, 3), subject="short")]

    code, said, _ = run("propose", "--dry-run", "-o", "json")
    table = run("propose", "--dry-run")[1]

    assert code == 0
    assert world.sent == []
    llama, short = json.loads(said)
    assert llama["proposal"]["source"] == "rules"
    assert llama["proposal"]["windows"] == [
        {name: value for name, value in one.items() if name != "why_not"}
        for one in llama["windows"]
    ]
    assert (llama["reply"], short["proposal"]) == (None, None)
    assert [one["why_not"] for one in short["windows"]] == ["shorter than 4 h"]
    assert "would propose pp_" in table


def test_only_those_that_are_named_are_looked_at(world: World) -> None:
    world.profiles = [week((22, 8)), week((22, 8), subject="other")]

    said = json.loads(run("propose", "llama", "nobody", "llama/", "--dry-run", "-o", "json")[1])

    assert [one["subject"] for one in said] == ["llama", "nobody"]
    assert said[1]["why"] == "it is not registered as a deployment"


def test_a_model_of_the_settings_is_asked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.profiles = [week((22, 8), weeks=2), week((22, 8), subject="other", weeks=2)]
    with playing(decided("propose", 0.81), decided("skip", 0.99, "a holiday")) as played:
        monkeypatch.setenv("HORAE_MODEL_URL", played.url)
        monkeypatch.setenv("HORAE_MODEL_NAME", "judge")
        llama, other = json.loads(run("propose", "-o", "json")[1])

    assert (llama["proposal"]["source"], llama["proposal"]["confidence"]) == ("model", 0.81)
    assert llama["reply"]["verdict"] == "accepted"
    assert other["why"] == "the model skips it: a holiday"
    assert len(world.sent) == 1


def test_a_model_that_is_not_ready_is_told_of_beside_the_answer(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.profiles = [week((22, 8))]
    with playing(Said(b"loading", status=503)) as played:
        monkeypatch.setenv("HORAE_MODEL_URL", played.url)
        monkeypatch.setenv("HORAE_MODEL_NAME", "judge")
        code, said, noted = run("propose")

    assert code == 0
    assert "the model is not ready: answered 503 loading" in noted
    assert "propose pp_" in said


@pytest.mark.parametrize(
    ("verdict", "code", "word"),
    [(Verdict.UNCHANGED, 0, "unchanged"), (Verdict.REFUSED, 1, "refused"), (None, 3, "no reply")],
)
def test_what_became_of_a_proposal_is_said(
    world: World, verdict: Verdict | None, code: int, word: str
) -> None:
    world.profiles, world.verdict = [week((22, 8))], verdict

    found, said, _ = run("propose")

    assert (found, word in said) == (code, True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    {
        "a time that is none": (["--daily", "25:00"], "--daily: "),
        "the end of a day": (["--daily", "24:00"], "--daily: a day ends at 24:00"),
        "a zone for nothing": (["--zone", "UTC"], "--zone: only together with --daily"),
        "what is no subject": (["a/b"], "a subject is what stands before the slash"),
    }.values(),
    ids=str,
)
def test_what_makes_no_sense_is_not_begun(world: World, words: list[str], sentence: str) -> None:
    code, _, noted = run("propose", *words)

    assert code == 2
    assert sentence in noted
    assert world.sent == []


def test_open_proposals_are_listed_and_all_if_wanted(world: World) -> None:
    world.rows = [a_row(), a_row(id="pp_2", status="accepted", schedules=("llama/sleep-pp_2",))]

    table, everything = (
        run("proposal", "list")[1],
        run("proposal", "list", "--all", "-o", "json")[1],
    )

    assert "pp_1" in table
    assert "0.81" in table
    assert "pp_2" not in table
    assert [one["schedules"] for one in json.loads(everything)] == [[], ["llama/sleep-pp_2"]]
    assert "pp_2" in run("proposal", "list", "--status", "accepted")[1]
    assert run("proposal", "list", "--subject", "x")[1].startswith("nothing is proposed")
    assert run("proposal", "list", "--all", "--status", "open")[0] == 2


def test_one_is_shown_with_what_was_asked_and_answered(world: World) -> None:
    world.rows = [
        a_row(
            status="dismissed",
            settled_at=PROPOSED_AT,
            settled_by="user:bob",
            settled_reason="no\x1b[31m",
        )
    ]

    code, said, _ = run("proposal", "show", "pp_1")

    assert code == 0
    for words in ("mon 22:00 to tue 07:45", "3 of 3", "10 h", "asked\nShould it?", "answered\n"):
        assert words in said
    assert "by user:bob: no\\x1b[31m" in said
    found = json.loads(run("proposal", "show", "pp_1", "-o", "json")[1])
    assert (found["prompt"], found["settled_by"]) == ("Should it?", "user:bob")
    assert run("proposal", "show", "pp_3")[0] == 1


@pytest.mark.parametrize(
    ("word", "kind"), [("accept", AcceptProposal), ("dismiss", DismissProposal)]
)
def test_an_admins_word_is_sent(
    world: World, word: str, kind: type[AcceptProposal | DismissProposal]
) -> None:
    """Whose proposal it is, is looked up, or said."""
    world.rows = [a_row()]

    found = run("proposal", word, "pp_1", "-r", "agreed")
    said = run("proposal", word, "pp_7", "--subject", "other")

    assert (found[0], said[0]) == (0, 0)
    assert [one.about for one in world.sent] == ["llama/", "other/"]
    assert [one.command for one in world.sent] == [kind("pp_1", "agreed"), kind("pp_7")]
    code, _, noted = run("proposal", word, "pp_7")
    assert (code, "the views know no such proposal" in noted) == (1, True)
    assert run("proposal", word, "!", "--subject", "other")[0] == 2


def test_without_a_database_one_may_say_whose_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORAE_BOOTSTRAP", "127.0.0.1:1")

    code, _, noted = run("proposal", "accept", "pp_1")

    assert code == 3
    assert "or say whose it is: --subject SUBJECT" in noted
