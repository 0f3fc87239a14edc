"""
What of a schedule has no end when the ledger ends?

Paused, held, deferred, not due yet, outside of the bounds; or due, and nobody has decided about it.
What has its end is life.py.
"""

from __future__ import annotations

from schemas.events import SubjectHeld
from streams.account.book import Book
from streams.account.classing import Finding, Verdict
from streams.account.expected import NOTHING, Found, called_for, split
from streams.decider.agenda import agenda_of
from streams.decider.state import Schedule


def class_rest(book: Book, hold: SubjectHeld | None) -> None:
    """Class what is left at the end; `hold` is that of its subject."""
    state = book.state
    if state is None:
        return
    plan = state.plan
    last = book.span.end - 1
    if plan.completed or plan.rule is None:
        book.pass_over(Verdict.OUTSIDE, last, book.worlds.newest)
    elif plan.pause is None:
        _still_open(book, state, hold)
    else:
        until = plan.pause.until
        ends = last if until is None or until <= book.span.now else min(until, last)
        book.pass_over(Verdict.PAUSED, ends, book.worlds.newest)
        after, until = book.span.clip(max(ends, book.mark), last)
        if until > after:
            coming = called_for(state, [book.worlds.newest], after, until)
            book.tally.add(Verdict.PENDING, coming.number)


def _still_open(book: Book, state: Schedule, hold: SubjectHeld | None) -> None:
    cursor, span, tally = state.cursor, book.span, book.tally
    due_by = min(_due_by(book, state), span.end - 1)
    overdue = _overdue(book, state, due_by)
    if overdue.number:
        _class_overdue(book, overdue, hold)
    after, until = span.clip(due_by, span.end - 1)
    newest = book.worlds.newest
    coming = called_for(state, [newest], after, until).number if until > after else 0
    is_deferred = bool(cursor.deferrals) and span.covers(cursor.nominal) and not overdue.number
    tally.add(Verdict.DEFERRED, int(is_deferred))
    tally.add(Verdict.PENDING, coming - is_deferred)
    after, until = span.clip(book.mark, span.end - 1)
    found = split(state, after, until)
    tally.add(Verdict.EXCLUDED, found.inside - coming - overdue.number)
    tally.add(Verdict.OUTSIDE, found.outside)


def _due_by(book: Book, state: Schedule) -> int:
    """Instants up to here should have had their turn."""
    settled = book.span.now - book.span.slack
    if state.cursor.due > settled:
        return book.mark
    agenda = agenda_of(state.plan, book.worlds.newest, state.cursor)
    return max(agenda.due_by(settled), book.mark)


def _overdue(book: Book, state: Schedule, until: int) -> Found:
    after, until = book.span.clip(book.mark, until)
    if until <= after:
        return NOTHING
    newest = book.worlds.newest.globals_offset
    worlds = book.worlds.between(book.known, newest, book.calendars)
    return called_for(state, worlds, after, until)


def _class_overdue(book: Book, overdue: Found, hold: SubjectHeld | None) -> None:
    if book.worlds.newest.held or hold is not None:
        book.tally.add(Verdict.HELD, overdue.number)
        return
    why = "it was due and has no end: nobody has decided about it"
    book.report(Finding(book.schedule, overdue.first, why, overdue.number))
