"""What becomes of a candidate that a decision model is asked about, whatever that answers?"""

from __future__ import annotations

import json
import socket
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from horae.cli.config import shown
from horae.proposing.endpoint import Endpoint
from horae.proposing.judging import PATIENCE, Judge, Judged
from horae.proposing.settings import ProposingSettings
from schemas.deployment_limits import check_proposal
from schemas.profiles import Profile
from schemas.proposals import ProposalSource
from streams.proposals.candidates import find_candidate
from tests.proposals.played_endpoint import Said, completion, decided, playing
from tests.proposals.weeks import week

STRONG = week((22, 10))
WEAK = week((22, 10), weeks=2)
DATE = "2026-11-30"
GOOD = '{"decision": "propose", "confidence": 0.9, "reason": "quiet"}'


def judge_of(url: str, said: list[str] | None = None, **settings: Any) -> Judge:
    usual: dict[str, Any] = {"model_url": url, "model_name": "judge", "model_timeout": 5.0}
    found = ProposingSettings(**(usual | settings))
    say = (lambda _: None) if said is None else said.append
    return Judge(Endpoint.of(found), found.proposal_threshold, say)


def judged(judge: Judge, profile: Profile = STRONG) -> Judged:
    return judge.judge(find_candidate(profile), profile, DATE)


@pytest.mark.case("DP-049")
@pytest.mark.parametrize(
    ("decision", "confidence", "proposed"),
    {
        "above the threshold": ("propose", 0.81, 810),
        "at the threshold": ("propose", 0.80, 800),
        "below it": ("propose", 0.79, None),
        "a hair below it": ("propose", 0.7999, None),
        "a sure no": ("skip", 0.99, None),
        "as whole a number": ("propose", 1, 1_000),
    }.values(),
    ids=str,
)
def test_only_what_is_wanted_with_enough_confidence_is_proposed(
    decision: str, confidence: float, proposed: int | None
) -> None:
    """DP-049: at or above the threshold of 0.80, with the model as its source."""
    with playing(decided(decision, confidence)) as played:
        found = judged(judge_of(played.url, proposal_threshold=Decimal("0.80")))

    assert len(played.asked) == 1
    if proposed is None:
        assert found.proposal is None
        assert "skips it" in found.why_not or "below 0.80" in found.why_not
        assert json.loads(found.answer)["decision"] == decision
    else:
        assert found.proposal is not None
        assert found.proposal.source is ProposalSource.MODEL
        assert found.proposal.confidence == proposed


def test_question_and_answer_are_kept_as_evidence() -> None:
    with playing(completion(GOOD)) as played:
        found = judged(judge_of(played.url, model_key="sesame"))

    [asked], [key], [path] = played.asked, played.keys, played.paths
    assert (path, key) == ("/v1/chat/completions", "Bearer sesame")
    assert asked["model"] == "judge"
    assert sorted(asked) == ["messages", "model", "response_format"]
    assert asked["response_format"]["type"] == "json_schema"
    schema = asked["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["decision", "confidence", "reason"]
    facts = json.loads(asked["messages"][1]["content"])
    assert [one["sleep_and_wake"] for one in facts["windows"]] == ["mon 22:00 to tue 07:45"]
    assert facts["share_of_active_minutes_percent_by_hour"]["mon"][22:] == [0, 0]
    proposal = found.proposal
    assert proposal is not None
    assert proposal.prompt == "\n\n".join(one["content"] for one in asked["messages"])
    assert (proposal.answer, proposal.reason) == (GOOD, "quiet")
    assert "sesame" not in repr(proposal)


@pytest.mark.case("DP-050")
@pytest.mark.parametrize(
    ("profile", "proposed"),
    {
        "two weeks": (WEAK, False),
        "three weeks, priority 89": (week((22, 10), priority=89), True),
        "three weeks, priority 90": (week((22, 10), priority=90), False),
    }.values(),
    ids=["two weeks", "priority 89", "priority 90"],
)
def test_with_the_model_off_the_rules_propose_what_is_beyond_doubt(
    profile: Profile, proposed: bool
) -> None:
    """DP-050: with source rules and confidence 1.0, or not at all."""
    found = judged(Judge(Endpoint.of(ProposingSettings()), Decimal("0.8")), profile)

    assert (found.proposal is not None) is proposed
    if found.proposal is not None:
        assert found.proposal.source is ProposalSource.RULES
        assert found.proposal.confidence == 1_000
        assert (found.proposal.prompt, found.proposal.answer) == ("", "")
    else:
        assert found.why_not.startswith("the model is off, and the rules alone do not propose it")


def refused_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}/v1"


NOT_READY = {
    "loading": Said(b'{"error": "loading"}', status=503),
    "too much asked": Said(b"", status=429),
    "unknown key": Said(b"who are you", status=401),
    "no such model": Said(b'{"error": "no such model"}', status=404),
    "moved": Said(b"", status=307),
    "silent": Said(b"{}", after=5.0),
    "drop by drop": Said(completion(GOOD).body, drips=0.05),
    "nobody there": None,
}


@pytest.mark.case("DP-051")
@pytest.mark.parametrize("said", NOT_READY.values(), ids=NOT_READY.keys())
def test_where_the_model_is_not_ready_the_rules_alone_propose(said: Said | None) -> None:
    """DP-051: then a short window beside a long one is not proposed, and what is sure is."""
    doubtful = week((22, 5), (50, 3), priority=50)
    heard: list[str] = []
    with playing(said or Said(b"")) as played:
        url = refused_port() if said is None else played.url
        judge = judge_of(url, heard, model_timeout=0.2)
        sure, unsure = judged(judge, STRONG), judged(judge, doubtful)

    assert sure.proposal is not None
    assert sure.proposal.source is ProposalSource.RULES
    assert "the model is not ready" in sure.proposal.reason
    assert unsure.proposal is None
    assert "a window is shorter than 4 h" in unsure.why_not
    assert len(heard) == 2


def test_a_model_that_is_never_ready_holds_up_no_round() -> None:
    heard: list[str] = []
    with playing(Said(b"", status=503)) as played:
        judge = judge_of(played.url, heard)
        found = [judged(judge) for _ in range(10)]

    assert len(played.asked) == PATIENCE
    assert all(one.proposal is not None for one in found)
    assert heard[-1] == "it was not ready 3 times in a row and is asked no more this time"


def test_a_model_that_is_ready_again_is_asked_on() -> None:
    busy = Said(b"", status=429)
    with playing(busy, busy, completion(GOOD), busy, busy, completion(GOOD)) as played:
        judge = judge_of(played.url)
        found = [judged(judge).proposal for _ in range(6)]

    assert len(played.asked) == 6
    sources = [one.source for one in found if one is not None]
    assert sources == [ProposalSource.RULES, ProposalSource.RULES, ProposalSource.MODEL] * 2


BAD = {
    "no JSON": completion("I would propose it."),
    "cut off": completion(GOOD[:30], finish_reason="length"),
    "a list": completion("[]"),
    "no decision": completion('{"confidence": 0.9, "reason": "x"}'),
    "another decision": completion('{"decision": "maybe", "confidence": 0.9, "reason": "x"}'),
    "no confidence": completion('{"decision": "propose", "reason": "x"}'),
    "no reason": completion('{"decision": "propose", "confidence": 0.9}'),
    "more than sure": completion('{"decision": "propose", "confidence": 1.01, "reason": "x"}'),
    "less than unsure": completion('{"decision": "propose", "confidence": -0.1, "reason": "x"}'),
    "in percent": completion('{"decision": "propose", "confidence": 90, "reason": "x"}'),
    "as a text": completion('{"decision": "propose", "confidence": "0.9", "reason": "x"}'),
    "as true": completion('{"decision": "propose", "confidence": true, "reason": "x"}'),
    "beyond all numbers": completion(
        '{"decision": "propose", "confidence": 1e99999999999999999999, "reason": "x"}'
    ),
    "not a number": completion('{"decision": "propose", "confidence": NaN, "reason": "x"}'),
    "a reason that is none": completion('{"decision": "propose", "confidence": 1, "reason": 1}'),
    "no content": completion(None),
    "no choices": Said(b'{"choices": []}'),
    "no object": Said(b"null"),
    "a web page": Said(b"<html>"),
    "far too much": Said(b" " * 1_100_000),
    "deeper than one reads": completion("[" * 100_000),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_what_is_no_answer_is_asked_for_once_more_and_then_left_out(bad: Said) -> None:
    heard: list[str] = []
    with playing(bad) as played:
        found = judged(judge_of(played.url, heard))

    assert len(played.asked) == 2
    assert found.proposal is None, "not even by rules: the model is ready, and its word counts"
    assert found.why_not.startswith("twice the model's answer could not be used: ")
    assert len(heard) == 2


def test_a_good_answer_to_the_second_question_counts() -> None:
    with playing(BAD["no JSON"], completion(GOOD)) as played:
        found = judged(judge_of(played.url), WEAK)

    assert len(played.asked) == 2
    assert found.proposal is not None
    assert found.proposal.source is ProposalSource.MODEL


@pytest.mark.parametrize(
    "said",
    [
        completion(None, refusal="I do not decide about others."),
        completion("", finish_reason="content_filter"),
    ],
    ids=["a refusal", "a filter"],
)
def test_a_refusal_is_no_proposal_and_not_asked_again(said: Said) -> None:
    with playing(said) as played:
        found = judged(judge_of(played.url))

    assert len(played.asked) == 1
    assert (found.proposal, found.why_not) == (None, "the model refused")
    assert found.answer


def test_what_cannot_be_written_down_is_kept_as_far_as_it_can() -> None:
    """JSON may escape half a character and NUL, which no text of the log may hold."""
    said = '{"decision": "propose", "confidence": 1.0, "reason": "\\ud800\\u0000 %s"}' % (
        "x" * 5_000
    )
    with playing(completion(said)) as played:
        found = judged(judge_of(played.url)).proposal

    assert found is not None
    assert found.reason.startswith("?? xxx")
    assert len(found.reason) == 1_000
    assert check_proposal(found) == found


@pytest.mark.parametrize(
    "given",
    {
        "no scheme": {"model_url": "127.0.0.1:8000"},
        "another scheme": {"model_url": "file:///etc/passwd"},
        "a key in it": {"model_url": "http://me:secret@127.0.0.1/v1"},
        "a query": {"model_url": "http://127.0.0.1/v1?key=1"},
        "no name": {"model_url": "http://127.0.0.1/v1", "model_name": None},
        "a threshold above 1": {"proposal_threshold": "1.01"},
        "a threshold in percent": {"proposal_threshold": "80"},
        "no time at all": {"model_timeout": 0},
    }.values(),
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ProposingSettings(**({"model_name": "judge"} | given))


def test_settings_come_from_the_environment_and_hide_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HORAE_MODEL_URL", "http://127.0.0.1:8000/v1/")
    monkeypatch.setenv("HORAE_MODEL_NAME", "judge")
    monkeypatch.setenv("HORAE_MODEL_KEY", "sesame")
    monkeypatch.setenv("HORAE_PROPOSAL_THRESHOLD", "0.95")

    found = ProposingSettings()

    assert found.model_url == "http://127.0.0.1:8000/v1"
    assert found.proposal_threshold == Decimal("0.95")
    assert shown(found.model_key) == "***"
    assert "sesame" not in repr(found)
    monkeypatch.setenv("HORAE_MODEL_URL", "")
    assert Endpoint.of(ProposingSettings()) is None
