"""
What may a program ask of one schedule?

A method for each command; the reply is that of the processor that decided it. What may be asked of
a subject as a whole is subjects.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from horae.client.orders import Asks, Order
from schemas.commands import (
    Backfill,
    CancelBackfill,
    Define,
    EditScopes,
    Pause,
    Remove,
    Resume,
    ScopeEdit,
    Skip,
    Trigger,
    Unskip,
)
from schemas.definition import CatchUpMode, Definition
from schemas.policies import OverlapMode, Scope
from schemas.replies import Reply


class AsksSchedules(Asks):
    """Commands about one schedule; instants are microseconds of UTC."""

    def define(
        self, schedule: str, definition: Definition, expected_version: int | None = None
    ) -> Reply:
        """Create the schedule or change it; unchanged content is answered `unchanged`."""
        return self.ask(Order(schedule, Define(definition, expected_version)))

    def remove(self, schedule: str) -> Reply:
        """Remove the schedule; what fired stays fired, and what runs goes on."""
        return self.ask(Order(schedule, Remove()))

    def pause(self, schedule: str, reason: str = "", until: int | None = None) -> Reply:
        """Let nothing of it fire, until it is resumed or the instant `until` has come."""
        return self.ask(Order(schedule, Pause(reason, until)))

    def resume(self, schedule: str, reason: str = "", catch_up: CatchUpMode | None = None) -> Reply:
        """End the pause; `catch_up` says what of it still runs, None: as the definition does."""
        return self.ask(Order(schedule, Resume(reason, catch_up)))

    def trigger(
        self,
        schedule: str,
        reason: str = "",
        *,
        force: bool = False,
        overlap: OverlapMode | None = None,
    ) -> Reply:
        """Fire once, now; `skipped` if a run stands in the way, and `message` names it.

        `force` asks neither about overlap nor about caps, `overlap` takes the place of the
        definition's mode for this fire.
        """
        return self.ask(Order(schedule, Trigger(reason, force, overlap)))

    def skip(
        self,
        schedule: str,
        *,
        count: int | None = None,
        instant: int | None = None,
        reason: str = "",
    ) -> Reply:
        """Let the next `count` instants (1 to 1,000), or the one at `instant`, not fire."""
        return self.ask(Order(schedule, Skip(count, instant, reason)))

    def unskip(self, schedule: str, instant: int | None = None, reason: str = "") -> Reply:
        """Let an instant fire after all; None: all that were to be skipped."""
        return self.ask(Order(schedule, Unskip(instant, reason)))

    def backfill(self, schedule: str, asked: Backfill) -> Reply:
        """Run instants of the past once more; `message` says how many, and as which backfill."""
        return self.ask(Order(schedule, asked))

    def cancel_backfill(self, schedule: str, backfill: str, reason: str = "") -> Reply:
        """Let the rest of a backfill not run; `backfill` is the id of the order that began it."""
        return self.ask(Order(schedule, CancelBackfill(backfill, reason)))

    def add_scopes(self, schedule: str, scopes: Iterable[Scope], reason: str = "") -> Reply:
        """Add targets, and widen the filters of those that are there."""
        return self._edit(schedule, ScopeEdit.ADD, scopes, reason)

    def update_scopes(self, schedule: str, scopes: Iterable[Scope], reason: str = "") -> Reply:
        """Let exactly these be its targets."""
        return self._edit(schedule, ScopeEdit.UPDATE, scopes, reason)

    def remove_scopes(self, schedule: str, targets: Iterable[str], reason: str = "") -> Reply:
        """Take targets away, but never the last one."""
        return self._edit(schedule, ScopeEdit.REMOVE, map(Scope, targets), reason)

    def _edit(self, schedule: str, edit: ScopeEdit, scopes: Iterable[Scope], reason: str) -> Reply:
        return self.ask(Order(schedule, EditScopes(edit, tuple(scopes), reason)))
