"""
What do the views know of deployments that something might be proposed for?

Their profiles and their proposals, all as of one moment: while a model is asked, no transaction is
open. What is made of it is rounds.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from projections import traffic_queries
from projections.queries import Reads
from projections.shown_traffic import ProposalShown
from schemas.profiles import Profile
from schemas.proposals import IdleWindow, ProposalStatus
from streams.proposals.naming import times_of

MOST = 1_000_000
"""Proposals that are looked at: all, since an open one that is not seen would stay for ever."""


@dataclass(frozen=True, slots=True)
class Known:
    """Profiles by subject, and what was proposed for it before, the newest first."""

    profiles: Mapping[str, Profile]
    registered: frozenset[str]
    """Whose driver is known: what is no deployment cannot sleep."""
    proposals: Mapping[str, Sequence[ProposalShown]] = field(default_factory=dict)

    @property
    def subjects(self) -> list[str]:
        """Whoever has a profile, or a proposal that is still open."""
        waiting = (subject for subject in self.proposals if self.open(subject) is not None)
        return sorted({*self.profiles, *waiting})

    def open(self, subject: str) -> ProposalShown | None:
        """What waits for an admin."""
        return next(iter(self.with_status(subject, ProposalStatus.OPEN)), None)

    def with_status(self, subject: str, status: ProposalStatus) -> list[ProposalShown]:
        """The proposals to which that happened."""
        return [one for one in self.proposals.get(subject, ()) if one.status == status]


def is_same(made: ProposalShown, windows: Sequence[IdleWindow], zone: str) -> bool:
    """Whether a proposal is for these times; in how many weeks they were seen is all one."""

    def times(of: Sequence[IdleWindow]) -> list[tuple[int, ...]]:
        return sorted(map(times_of, of))

    return made.zone == zone and times(made.windows) == times(windows)


def look(reads: Reads, subjects: Sequence[str] = ()) -> Known:
    """What is known now of these subjects; none: of all."""

    def asked(connection: Any) -> Known:
        made: defaultdict[str, list[ProposalShown]] = defaultdict(list)
        registered = frozenset(row.subject for row in traffic_queries.deployments(connection))
        if not subjects:
            profiles = {one.subject: one for one in traffic_queries.profiles(connection)}
            for one in traffic_queries.proposals(connection, limit=MOST).rows:
                made[one.subject].append(one)
            return Known(profiles, registered, made)
        found = [traffic_queries.profile(connection, subject) for subject in subjects]
        for subject in subjects:
            made[subject] += traffic_queries.proposals(connection, subject=subject).rows
        profiles = {one.subject: one for one in found if one is not None}
        return Known(profiles, registered, made)

    return reads.look(asked)
