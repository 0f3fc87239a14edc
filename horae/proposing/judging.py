"""
Is a candidate proposed, and who says so?

The model, if it is ready: what it wants proposed with enough confidence is. Is it off or not ready,
the rules alone propose what is beyond doubt. An answer that is none is asked for once more, then
the candidate is left out. The rules themselves are streams/proposals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple, Protocol

from horae.proposing.endpoint import NotReady, Spoken
from horae.proposing.question import BadAnswer, Decision, messages_about, read_decision
from schemas.profiles import Profile
from schemas.proposals import Proposal, ProposalSource
from streams.proposals.candidates import Candidate
from streams.proposals.naming import proposal_id

PATIENCE = 3
"""Times in a row that the model is not ready, after which a round asks it no more."""
MOST_ANSWER = 16_384
"""Characters of an answer that are kept as evidence."""
SURE = 1_000


class Model(Protocol):
    """Somebody who can be asked."""

    def ask(self, messages: list[dict[str, str]], /) -> Spoken:
        """Ask once; NotReady if nobody answers, BadAnswer if that is no answer."""
        ...


class Judged(NamedTuple):
    """A proposal, or why there is none."""

    proposal: Proposal | None
    why_not: str = ""
    answer: str = ""
    """What the model said, where it is not in the proposal."""


class _Heard(NamedTuple):
    decision: Decision
    answer: str


@dataclass(slots=True)
class Judge:
    """Judges the candidates of one round."""

    model: Model | None
    """None: it is off."""
    threshold: Decimal
    say: Callable[[str], None] = lambda _: None
    """Told what somebody should know of the model."""
    _failed: int = field(default=0, init=False)

    @property
    def asks(self) -> bool:
        """Whether a model is asked for the next candidate."""
        return self.model is not None and self._failed < PATIENCE

    def judge(self, candidate: Candidate, profile: Profile, date: str) -> Judged:
        """What becomes of a candidate that has windows, on this local date."""
        if self.model is None:
            return self._by_rules(candidate, date, "the model is off")
        if not self.asks:
            return self._by_rules(candidate, date, "the model is not ready")
        messages = messages_about(profile, candidate.windows)
        try:
            heard = self._hear(self.model, candidate.subject, messages)
        except NotReady as fault:
            self._note(fault)
            return self._by_rules(candidate, date, f"the model is not ready: {fault}")
        self._failed = 0
        if isinstance(heard, Judged):
            return heard
        return self._by_model(candidate, date, heard, "\n\n".join(m["content"] for m in messages))

    def _hear(self, model: Model, subject: str, messages: list[dict[str, str]]) -> _Heard | Judged:
        """Its decision, or why it has none; what is no answer is asked for once more."""
        faults = []
        for _ in range(2):
            try:
                spoken = model.ask(messages)
                if spoken.refusal is not None:
                    self.say(f"{subject}: the model refused: {spoken.refusal[:MOST_ANSWER]}")
                    return Judged(None, "the model refused", spoken.refusal[:MOST_ANSWER])
                return _Heard(read_decision(spoken.content), spoken.content[:MOST_ANSWER])
            except BadAnswer as fault:
                faults.append(fault)
                self.say(f"{subject}: the model's answer cannot be used: {fault}")
        return Judged(None, f"twice the model's answer could not be used: {faults[-1]}")

    def _note(self, fault: NotReady) -> None:
        self._failed += 1
        self.say(f"the model is not ready: {fault}")
        if not self.asks:
            self.say(f"it was not ready {PATIENCE} times in a row and is asked no more this time")

    def _by_model(self, candidate: Candidate, date: str, heard: _Heard, prompt: str) -> Judged:
        decision, answer = heard
        if not decision.propose:
            return Judged(None, f"the model skips it: {decision.reason}", answer)
        if decision.confidence < self.threshold:
            words = f"its confidence {decision.confidence} is below {self.threshold}"
            return Judged(None, f"the model proposes it, but {words}", answer)
        return Judged(
            Proposal(
                id=_name(candidate, date),
                windows=candidate.windows,
                zone=candidate.zone,
                source=ProposalSource.MODEL,
                confidence=decision.thousandths,
                reason=decision.reason,
                prompt=prompt,
                answer=answer,
            )
        )

    def _by_rules(self, candidate: Candidate, date: str, why: str) -> Judged:
        if candidate.weak is not None:
            return Judged(None, f"{why}, and the rules alone do not propose it: {candidate.weak}")
        weeks = min(window.weeks for window in candidate.windows)
        return Judged(
            Proposal(
                id=_name(candidate, date),
                windows=candidate.windows,
                zone=candidate.zone,
                source=ProposalSource.RULES,
                confidence=SURE,
                reason=f"idle in each of at least {weeks} weeks; {why}",
            )
        )


def _name(candidate: Candidate, date: str) -> str:
    return proposal_id(candidate.subject, candidate.zone, candidate.windows, date)
