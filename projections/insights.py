"""
What does the view say of what somebody should know, and of what a subject is made of?

Turns insights that were raised and resolved into rows of `insights`, and what the containers of a
subject are made of into rows of `subjects`. With a subject its insights are gone (deployments.py).
The order of the fields here is the order of the columns in sql/layout.sql.
"""

from __future__ import annotations

from projections.definitions import plain_document
from projections.encoding import NULL, bigint, boolean, field_count, instant, jsonb, text, words
from projections.folding import Batch
from schemas.actions import App
from schemas.events import (
    AppDefined,
    InsightRaised,
    InsightResolved,
    Stamp,
    SubjectRemoved,
)
from schemas.identity import subject_of

_INSIGHT_COLUMNS = field_count(9)
_SUBJECT_COLUMNS = field_count(5)


def told(event: InsightRaised | InsightResolved, stamp: Stamp, batch: Batch) -> None:
    """Something is so that should not stay so, or is so no longer."""
    data = b"".join(
        (
            _INSIGHT_COLUMNS,
            bigint(stamp.partition),
            bigint(stamp.sequence),
            text(subject_of(event.schedule)),
            text(event.kind.value),
            text(event.about),
            words(event.message),
            instant(stamp.decided_at),
            text(stamp.actor),
            boolean(isinstance(event, InsightRaised)),
        )
    )
    batch.insights.keep((stamp.partition, stamp.sequence), (0, 0), data)


def subject_removed(event: SubjectRemoved, stamp: Stamp, batch: Batch) -> None:
    """Nothing is known of what its containers are made of."""
    _subject(event.schedule, None, stamp, batch)


def app_defined(event: AppDefined, stamp: Stamp, batch: Batch) -> None:
    """The containers of a subject are made of this."""
    _subject(event.schedule, event.app, stamp, batch)


def _subject(schedule: str, app: App | None, stamp: Stamp, batch: Batch) -> None:
    subject = subject_of(schedule)
    data = b"".join(
        (
            _SUBJECT_COLUMNS,
            text(subject),
            NULL if app is None else jsonb(plain_document(app)),
            instant(stamp.decided_at),
            text(stamp.actor),
            bigint(stamp.sequence),
        )
    )
    batch.subjects.keep(subject, (0, stamp.sequence), data)
