"""
What if the code were wrong in just one place?

Deliberate faults, each a patch of the real code, for test_the_simulation_finds_what_is_broken.py. A
new one is a function and a name in BREAKS.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from schemas.commands import Asked
from streams.calendar.occurrences import NEVER
from streams.decider import evolve, firing, lateness
from streams.faults import AbortBatch
from streams.processor import batch, restore, transaction
from streams.processor.batch import Batch
from streams.processor.draft import Draft
from streams.processor.inbox import Inbox
from streams.processor.loop import Processor
from streams.processor.membership import Membership, membership_of
from streams.processor.restore import Restore
from streams.processor.serving import Serving
from streams.processor.transaction import Transactions

Break = Callable[[pytest.MonkeyPatch], None]


def offsets_are_left_out(patch: pytest.MonkeyPatch) -> None:
    """A transaction is not fenced at all."""
    patch.setattr("tests.simulation.log.Log.send_offsets", lambda *_: None)


def the_fence_is_missing(patch: pytest.MonkeyPatch) -> None:
    """Offsets are sent as a consumer would that never joined: the broker takes them."""
    commit = Transactions.commit

    def unfenced(self: Transactions, offsets: Mapping[int, int], membership: Membership) -> None:
        raw = b"CGMDv2:" + struct.pack("=i", -1) + b"horae-processor\0\0"
        commit(self, offsets, membership._replace(raw=raw))

    patch.setattr(Transactions, "commit", unfenced)


def the_membership_is_that_of_the_commit(patch: pytest.MonkeyPatch) -> None:
    """A member that has rejoined since the poll may commit for what it has no more."""

    def now(self: Inbox) -> Membership:
        return membership_of(self._consumer.consumer_group_metadata())

    patch.setattr(Inbox, "membership", property(now, lambda *_: None), raising=False)


def what_is_not_committed_is_kept(patch: pytest.MonkeyPatch) -> None:
    """The overlay is folded into the live state before the commit."""
    close = Batch.close

    def early(self: Batch, instance: str) -> dict[int, int]:
        offsets = close(self, instance)
        self.keep()
        return offsets

    patch.setattr(Batch, "close", early)


def timers_are_not_put_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Serving, "put_back", staticmethod(lambda _due: None))


def commands_are_not_read_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Serving, "read_again", lambda *_: None)


def aborted_records_are_restored(patch: pytest.MonkeyPatch) -> None:
    begin = Restore.begin

    def uncommitted(self: Restore, numbers: list[int]) -> None:
        self._consumer._committed = False  # type: ignore[attr-defined]
        begin(self, numbers)

    patch.setattr(Restore, "begin", uncommitted)


def a_restore_does_not_wait_for_a_pending_commit(patch: pytest.MonkeyPatch) -> None:
    fence = Restore._fence

    def anyhow(self: Restore, take_over: Any) -> None:
        fence(self, take_over)
        take_over.until = self._offsets.stable_ends(restore._places([take_over.number]))
        take_over.final = True

    patch.setattr(Restore, "_fence", anyhow)


def a_lost_partition_is_kept(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Serving, "lost", lambda *_: None)


def an_unknown_outcome_is_an_abort(patch: pytest.MonkeyPatch) -> None:
    """The batch is done once more, whatever the broker kept of it."""
    classified = transaction._classified

    def hopeful(fault: Any, topic: str | None = None) -> Any:
        found = classified(fault, topic)
        return found if fault.args[0].fatal() else AbortBatch(str(found))

    patch.setattr(transaction, "_classified", hopeful)


def a_slow_commit_is_trusted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(transaction, "SLOW_COMMIT", 3_600.0)


def grace_is_ignored(patch: pytest.MonkeyPatch) -> None:
    """What is looked at late is taken to be on time."""
    patch.setattr(firing, "_late", firing.on_time)


def lookback_is_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(lateness, "_youngest_lost", lambda *_: -NEVER)


def a_hold_is_ignored(patch: pytest.MonkeyPatch) -> None:
    """Neither the loop nor the decider looks whether everything is held."""
    patch.setattr(Processor, "_may_fire", lambda self, _world: self.watch.trusted)
    ring = Batch.ring

    def anyhow(self: Batch, rungs: Any) -> None:
        self.world = self._express._world = replace(self.world, hold=None)
        ring(self, rungs)

    patch.setattr(Batch, "ring", anyhow)


def a_copy_is_decided_once_more(patch: pytest.MonkeyPatch) -> None:
    """The answer to a one-shot command is not remembered."""
    patch.setattr(Batch, "_known_answer", lambda *_: None)


def a_number_is_used_again(patch: pytest.MonkeyPatch) -> None:
    keep = Draft.keep

    def forgetful(self: Draft) -> None:
        before = self.partition.owner
        keep(self)
        left = max(before.next_sequence, self.partition.owner.next_sequence - 1)
        self.partition.owner = replace(self.partition.owner, next_sequence=left)

    patch.setattr(Draft, "keep", forgetful)


def the_mark_is_set_too_early(patch: pytest.MonkeyPatch) -> None:
    """What falls due together with a fire is taken for settled."""
    advance = evolve.advance

    def ahead(state: Any, event: Any, now: int, zone_data: int) -> Any:
        found = advance(state, event, now, zone_data)
        return found._replace(cursor=found.cursor._replace(mark=max(found.cursor.mark, now)))

    for module in (evolve, firing):
        patch.setattr(module, "advance", ahead)


def what_was_due_is_not_settled(patch: pytest.MonkeyPatch) -> None:
    """Before a removal, pause or edit, as if the command had been sent long ago."""
    decide: Any = vars(batch)["decide"]

    def without(state: Any, asked: Asked, *given: Any) -> Any:
        return decide(state, replace(asked, appended_at=0), *given)

    patch.setattr(batch, "decide", without)


BREAKS: tuple[Break, ...] = (
    *(offsets_are_left_out, the_fence_is_missing, the_membership_is_that_of_the_commit),
    *(what_is_not_committed_is_kept, timers_are_not_put_back, commands_are_not_read_again),
    *(aborted_records_are_restored, a_restore_does_not_wait_for_a_pending_commit),
    a_lost_partition_is_kept,
    *(an_unknown_outcome_is_an_abort, a_slow_commit_is_trusted),
    *(grace_is_ignored, lookback_is_ignored, a_hold_is_ignored, a_copy_is_decided_once_more),
    *(a_number_is_used_again, the_mark_is_set_too_early, what_was_due_is_not_settled),
)
"""Every fault that has to be found; those of policies follow below their capability."""
