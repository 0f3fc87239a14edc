"""
What is to be proposed and withdrawn now, and what became of it?

Goes through what is known of each deployment once, lets the judge see what the rules found, and
sends the commands. A model is not asked about what waits for an admin already, or was dismissed
lately: the answer would change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, Protocol

from horae.client import ClientFault, Order
from horae.proposing.judging import Judge
from horae.proposing.known import Known, is_same
from horae.proposing.question import MOST_REASON
from horae.times_shown import local_time
from projections.shown_traffic import ProposalShown
from schemas.instants import format_instant
from schemas.proposals import Proposal, ProposalStatus, Propose, WithdrawProposal
from schemas.replies import Reply
from streams.calendar.zones import zone_names
from streams.decider.proposals import NOT_AGAIN
from streams.proposals.candidates import Candidate, find_candidate, still_fits
from streams.proposals.naming import proposal_id

NOT_MEASURED = "nothing was measured of it in the last 30 days"
NOT_REGISTERED = "it is not registered as a deployment"
NOT_IDLE = "its hours are not all idle any more"
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Finding:
    """What is to be done for a deployment, and why."""

    subject: str
    candidate: Candidate | None
    """None: nothing was measured of it."""
    proposal: Proposal | None = None
    """To be proposed."""
    withdraw: str | None = None
    """The id of an open one that fits no more, and has no successor."""
    why: str = ""
    answer: str = ""
    """What the model said, where nothing is proposed."""

    @property
    def order(self) -> Order | None:
        """The command that does it; None: there is nothing to do."""
        if self.proposal is not None:
            return Order(self.subject, Propose(self.proposal))
        if self.withdraw is not None:
            reason = f"{NOT_IDLE}: {self.why}"[:MOST_REASON]
            return Order(self.subject, WithdrawProposal(self.withdraw, reason))
        return None


class Done(NamedTuple):
    """A finding, and the reply to its command; None: nothing was asked."""

    finding: Finding
    reply: Reply | ClientFault | None


class Asks(Protocol):
    """Whoever sends commands."""

    def ask_many(self, orders: Sequence[Order], /) -> Sequence[Reply | ClientFault]:
        """Send all, and wait for their replies."""
        ...


@dataclass(frozen=True, slots=True)
class Round:
    """One look at all deployments."""

    known: Known
    judge: Judge
    now: int
    stands: Callable[[str], bool]
    """Whether there is a schedule of this id."""

    def find(self, subject: str) -> Finding:
        """What is to be done for one deployment."""
        profile, before = self.known.profiles.get(subject), self.known.open(subject)
        if profile is None:
            withdraw = None if before is None else before.id
            misspelt = before is None and subject not in self.known.registered
            unseen = NOT_REGISTERED if misspelt else NOT_MEASURED
            return Finding(subject, None, withdraw=withdraw, why=unseen)
        candidate = find_candidate(profile)
        fits = before is None or still_fits(before.windows, before.zone, profile)
        withdraw = None if before is None or fits else before.id
        why = candidate.why_not or self._settled(candidate)
        if why is not None:
            return Finding(subject, candidate, None, withdraw, why)
        judged = self.judge.judge(candidate, profile, self._date(candidate.zone))
        if judged.proposal is not None:
            return Finding(subject, candidate, judged.proposal, why=judged.proposal.reason)
        return Finding(subject, candidate, None, withdraw, judged.why_not, judged.answer)

    def _settled(self, candidate: Candidate) -> str | None:
        """Why nothing that is proposed now would be taken, whatever a model thinks of it."""
        subject, zone, windows = candidate.subject, candidate.zone, candidate.windows
        if subject not in self.known.registered:
            return NOT_REGISTERED
        if zone not in zone_names():
            return f"there is no zone {zone}"
        made = self.known.proposals.get(subject, ())
        reasons = [self._stands(one) for one in made if is_same(one, windows, zone)]
        stands = next((reason for reason in reasons if reason is not None), None)
        if stands is not None:
            return stands
        name = proposal_id(subject, zone, windows, self._date(zone))
        today = next((one for one in made if one.id == name), None)
        return None if today is None else f"{name} of today was {today.status} already"

    def _stands(self, made: ProposalShown) -> str | None:
        """Why the same is not proposed once more; None: it may be."""
        match ProposalStatus(made.status):
            case ProposalStatus.OPEN:
                return f"{made.id} proposes it already"
            case ProposalStatus.DISMISSED if self.now - (made.settled_at or 0) <= NOT_AGAIN:
                return f"{made.id} was dismissed at {format_instant(made.settled_at or 0)}"
            case ProposalStatus.ACCEPTED if made.schedules and all(
                map(self.stands, made.schedules)
            ):
                return f"{made.id} was accepted, and its schedules are there"
            case _:
                return None

    def _date(self, zone: str) -> str:
        return local_time(self.now, zone)[:10]


def carry_out(
    round_: Round,
    subjects: Sequence[str],
    client: Asks | None,
    *,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
    stopping: Callable[[], bool] = lambda: False,
) -> Iterator[Done]:
    """
    Find what is to be done for each, and do it; without a client nothing is sent.

    What a model has judged is sent at once, so that a round that is ended loses no answer.
    """
    left, done = iter(subjects), 0
    while not stopping():
        few = 1 if round_.judge.asks else _AT_ONCE
        findings = [round_.find(subject) for subject in islice(left, few)]
        if not findings:
            return
        yield from _sent(findings, client)
        done += len(findings)
        progress(done, len(subjects))


def _sent(findings: Iterable[Finding], client: Asks | None) -> list[Done]:
    asked = [(finding, finding.order) for finding in findings]
    orders = [order for _, order in asked if order is not None]
    if client is None or not orders:
        return [Done(finding, None) for finding, _ in asked]
    replies = iter(client.ask_many(orders))
    return [Done(finding, None if order is None else next(replies)) for finding, order in asked]
