"""
Who owns which partition of the inbox?

The coordinator of one consumer group: members join, a round ends when all have joined or were
expelled, and gives each its share under a new generation. Partitions move in two rounds, as
cooperative assignors do it: given up in the first, taken in the second.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from confluent_kafka import KafkaError


@dataclass(slots=True)
class Member:
    """One consumer of the group."""

    client: str
    owned: set[int] = field(default_factory=set)
    """What it says it has."""
    share: set[int] = field(default_factory=set)
    """What it was given in the last round."""
    joined: bool = True
    """In the round that is under way."""


class Group:
    """The members and what is theirs."""

    def __init__(self, partitions: int) -> None:
        self.partitions = partitions
        self.generation = 0
        self.members: dict[str, Member] = {}
        self.turned = 0
        """By how much the shares are turned round, so that partitions move more often."""
        self._preparing = False
        self._number = 0

    def join(self, client: str) -> str:
        """A new member; its id. Everybody has to join again."""
        self._number += 1
        id_ = f"{client}-{self._number}"
        self.prepare()
        self.members[id_] = Member(client)
        return id_

    def rejoin(self, id_: str, owned: set[int]) -> None:
        """A member has heard that a round is under way, and says what it has."""
        if self._preparing:
            member = self.members[id_]
            member.joined, member.owned = True, set(owned)
            self._finish()

    def leave(self, id_: str) -> None:
        """A member goes, or was silent for too long."""
        if self.members.pop(id_, None) is not None:
            self.prepare()
            self._finish()

    def prepare(self) -> None:
        """Begin a round."""
        if not self._preparing:
            self._preparing = True
            for member in self.members.values():
                member.joined = False

    def share_of(self, id_: str) -> set[int] | None:
        """What a member has in this generation; None while a round is under way."""
        return None if self._preparing else self.members[id_].share

    def objection(self, generation: int, member: str) -> int | None:
        """Why this member may not commit offsets; None: it may."""
        if member not in self.members:
            return KafkaError.UNKNOWN_MEMBER_ID
        if generation != self.generation:
            return KafkaError.ILLEGAL_GENERATION
        return None

    def _finish(self) -> None:
        if not all(member.joined for member in self.members.values()):
            return
        self._preparing = False
        self.generation += 1
        had = {
            number: id_ for id_, member in self.members.items() for number in sorted(member.owned)
        }
        for id_, wanted in self._shares().items():
            self.members[id_].share = {one for one in wanted if had.get(one, id_) == id_}

    def _shares(self) -> dict[str, set[int]]:
        """Fair shares that leave where it is what can stay."""
        ids = sorted(self.members)
        if not ids:
            return {}
        turn = self.turned % len(ids)
        ids = ids[turn:] + ids[:turn]
        least, more = divmod(self.partitions, len(ids))
        room = {id_: least + (place < more) for place, id_ in enumerate(ids)}
        shares: dict[str, set[int]] = {id_: set() for id_ in ids}
        left = []
        for number in range(self.partitions):
            holders = [id_ for id_ in ids if number in self.members[id_].owned and room[id_]]
            if holders and not self.turned:
                shares[holders[0]].add(number)
                room[holders[0]] -= 1
            else:
                left.append(number)
        for number in left:
            taker = next(id_ for id_ in ids if room[id_])
            shares[taker].add(number)
            room[taker] -= 1
        return shares
