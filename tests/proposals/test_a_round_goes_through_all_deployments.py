"""What does a round propose, leave alone and withdraw, and what does it send?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from typing_extensions import override

from horae.client import ClientFault, Order
from horae.client.faults import NoReply
from horae.proposing.endpoint import Spoken
from horae.proposing.judging import Judge
from horae.proposing.known import Known
from horae.proposing.rounds import NOT_IDLE, NOT_MEASURED, Done, Round, carry_out
from projections.shown_traffic import ProposalShown
from schemas.profiles import HOURS, Profile
from schemas.proposals import Proposal, Propose, WithdrawProposal
from schemas.replies import Reply, Verdict
from schemas.units import DAY
from streams.decider.proposals import NOT_AGAIN
from streams.proposals.candidates import find_candidate
from tests.proposals.weeks import week

NOW = 1_796_061_600_000_000
"""2026-11-30T18:00:00Z"""
NIGHT = week((22, 8))


class Clerk:
    """Answers every order alike, and keeps it."""

    def __init__(self, verdict: Verdict = Verdict.ACCEPTED) -> None:
        self.verdict = verdict
        self.calls: list[list[Order]] = []

    def ask_many(self, orders: Sequence[Order]) -> list[Reply | ClientFault]:
        self.calls.append(list(orders))
        return [Reply(one.about, "propose", self.verdict, NOW, 0, 0) for one in orders]


class Yes:
    """A model that wants everything."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, _: object) -> Spoken:
        self.asked += 1
        return Spoken('{"decision": "propose", "confidence": 1, "reason": "yes"}')


def made(profile: Profile, status: str = "open", **more: object) -> ProposalShown:
    """What was proposed when the profile was this."""
    row = ProposalShown(
        subject=profile.subject,
        id="pp_before",
        status=status,
        windows=find_candidate(profile).windows,
        zone=profile.zone,
        source="rules",
        confidence=1_000,
        reason="",
        prompt="",
        answer="",
        proposed_at=NOW - 2 * DAY,
        proposed_by="user:ada",
        settled_at=None if status == "open" else NOW - DAY,
        settled_by=None,
        settled_reason=None,
        schedules=(),
    )
    return replace(row, **more)  # type: ignore[arg-type]


def a_round(
    profiles: Iterable[Profile],
    proposals: Iterable[ProposalShown] = (),
    *,
    model: Yes | None = None,
    stands: Callable[[str], bool] = lambda _: True,
) -> Round:
    found = {one.subject: one for one in profiles}
    rows: dict[str, list[ProposalShown]] = {}
    for one in proposals:
        rows.setdefault(one.subject, []).append(one)
    known = Known(found, frozenset(found), rows)
    return Round(known, Judge(model, Decimal("0.8")), NOW, stands)


def found(one_round: Round, subject: str = "llama") -> tuple[Proposal | None, str | None, str]:
    finding = one_round.find(subject)
    return finding.proposal, finding.withdraw, finding.why


def test_what_is_beyond_doubt_is_proposed() -> None:
    finding = a_round([NIGHT]).find("llama")

    assert finding.proposal is not None
    order = finding.order
    assert order is not None
    assert (order.about, order.command) == ("llama/", Propose(finding.proposal))


def test_what_waits_for_an_admin_already_is_left_alone_and_no_model_is_asked() -> None:
    model = Yes()
    longer = week((22, 8), weeks=4)

    assert found(a_round([longer], [made(NIGHT)], model=model)) == (
        None,
        None,
        "pp_before proposes it already",
    )
    assert model.asked == 0


def test_other_windows_take_the_place_of_those_that_wait() -> None:
    proposal, withdraw, _ = found(a_round([week((22, 10))], [made(NIGHT)]))

    assert proposal is not None
    assert withdraw is None, "whoever decides withdraws the one before"


def test_what_fits_no_more_is_withdrawn() -> None:
    narrower = week((23, 7), priority=90)

    finding = a_round([narrower], [made(NIGHT)]).find("llama")

    assert (finding.proposal, finding.withdraw) == (None, "pp_before")
    assert finding.order is not None
    assert isinstance(finding.order.command, WithdrawProposal)
    assert finding.order.command.reason.startswith(NOT_IDLE)


def test_what_lies_in_wider_hours_still_fits_though_these_are_not_proposed() -> None:
    wider = week((21, 10), priority=90)

    proposal, withdraw, why = found(a_round([wider], [made(NIGHT)]))

    assert (proposal, withdraw) == (None, None)
    assert "priority is 90" in why


def test_a_week_that_is_busy_or_idle_as_a_whole_withdraws_what_waits() -> None:
    assert found(a_round([week()], [made(NIGHT)]))[1] == "pp_before"
    assert found(a_round([week((0, HOURS))], [made(NIGHT)]))[1] == "pp_before"


def test_what_was_not_measured_any_more_is_withdrawn() -> None:
    one_round = a_round([], [made(NIGHT)])

    assert one_round.known.subjects == ["llama"]
    assert found(one_round) == (None, "pp_before", NOT_MEASURED)


def test_what_was_dismissed_rests_for_thirty_days() -> None:
    def settled(ago: int) -> Proposal | None:
        dismissed = made(NIGHT, "dismissed", settled_at=NOW - ago)
        return found(a_round([NIGHT], [dismissed]))[0]

    assert settled(DAY) is None
    assert settled(NOT_AGAIN) is None
    assert settled(NOT_AGAIN + 1) is not None
    other = made(week((20, 10)), "dismissed")
    assert found(a_round([NIGHT], [other]))[0] is not None, "other windows are another matter"


def test_what_was_accepted_stands_as_long_as_its_schedules_do() -> None:
    accepted = made(NIGHT, "accepted", schedules=("llama/sleep-x", "llama/wake-x"))

    assert found(a_round([NIGHT], [accepted]))[0] is None
    gone = a_round([NIGHT], [accepted], stands=lambda name: "sleep" in name)
    assert found(gone)[0] is not None


def test_what_was_withdrawn_comes_again_the_next_day() -> None:
    """On the same day it has the same name, under which something else is known."""
    today = a_round([NIGHT]).find("llama").proposal
    assert today is not None

    again = found(a_round([NIGHT], [made(NIGHT, "withdrawn", id=today.id)]))
    later = found(a_round([NIGHT], [made(NIGHT, "withdrawn")]))

    assert (again[0], again[2]) == (None, f"{today.id} of today was withdrawn already")
    assert later[0] is not None


def test_what_is_no_deployment_is_not_proposed() -> None:
    one_round = a_round([NIGHT])

    unknown = replace(one_round, known=replace(one_round.known, registered=frozenset()))

    assert found(unknown) == (None, None, "it is not registered as a deployment")


def test_a_zone_that_is_gone_ends_no_round() -> None:
    assert found(a_round([week((22, 8), zone="Mars/Base")]))[2] == "there is no zone Mars/Base"


def test_the_day_of_a_name_is_that_of_the_deployments_zone() -> None:
    """18:00 of UTC is the next day in Auckland."""
    late = a_round([week((22, 8), zone="Pacific/Auckland")])
    day_before = replace(late, now=NOW - 8 * 3_600 * 1_000_000)
    same_day = replace(late, now=NOW + 4 * 3_600 * 1_000_000)

    names = [one.find("llama").proposal for one in (late, day_before, same_day)]

    assert names[0] != names[1]
    assert names[0] == names[2]


def many(count: int) -> list[Profile]:
    return [week((22, 8), subject=f"d{number:04}") for number in range(count)]


def carried(one_round: Round, clerk: Clerk | None, told: list[tuple[int, int]]) -> list[Done]:
    subjects = one_round.known.subjects
    return list(carry_out(one_round, subjects, clerk, progress=lambda *at: told.append(at)))


def test_rules_alone_send_many_at_once_and_a_model_each_as_it_is_judged() -> None:
    for model, calls in ((None, [500, 500, 200]), (Yes(), [1] * 1_200)):
        clerk, told = Clerk(), list[tuple[int, int]]()

        done = carried(a_round(many(1_200), model=model), clerk, told)

        assert [len(call) for call in clerk.calls] == calls
        assert len(done) == 1_200
        assert all(isinstance(one.reply, Reply) for one in done)
        assert told[-1] == (1_200, 1_200)


def test_replies_belong_to_their_findings_also_where_nothing_is_asked() -> None:
    profiles = [week((22, 8), subject="a"), week(subject="b"), week((22, 8), subject="c")]

    done = carried(a_round(profiles), Clerk(), [])

    assert [one.finding.subject for one in done] == ["a", "b", "c"]
    told = [one.reply.schedule if isinstance(one.reply, Reply) else None for one in done]
    assert told == ["a/", None, "c/"]


def test_one_silent_partition_hides_no_other_answer() -> None:
    class Half(Clerk):
        @override
        def ask_many(self, orders: Sequence[Order]) -> list[Reply | ClientFault]:
            return [NoReply(0, 0, 1.0), *super().ask_many(orders)[1:]]

    done = carried(a_round(many(3)), Half(), [])

    assert [isinstance(one.reply, Reply) for one in done] == [False, True, True]


def test_a_rehearsal_sends_nothing() -> None:
    done = carried(a_round(many(3)), None, [])

    assert [one.reply for one in done] == [None] * 3
    assert all(one.finding.order is not None for one in done)


def test_whoever_ends_a_round_loses_nothing_that_was_judged() -> None:
    model, clerk = Yes(), Clerk()

    done = list(
        carry_out(
            one_round := a_round(many(5), model=model),
            one_round.known.subjects,
            clerk,
            stopping=lambda: model.asked == 2,
        )
    )

    assert len(done) == len(clerk.calls) == 2
