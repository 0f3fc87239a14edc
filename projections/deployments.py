"""
What do the views say of a subject that sleeps and wakes?

Turns what a deployment is, in which state it is, what a sampler saw of it and whether it is held
into rows of `subject_notes`, each kind with its own sequence number. With the subject removed each
of them says nothing. The order of the fields here is the order of the columns in
sql/traffic_merges.sql.
"""

from __future__ import annotations

from projections.encoding import (
    FALSE,
    NULL,
    TRUE,
    bigint,
    boolean,
    bytea,
    field_count,
    instant,
    jsonb,
    text,
    words,
)
from projections.folding import Batch
from projections.log import Record
from projections.told_of_deployments import driver_of
from schemas.deployments import DeploymentState
from schemas.deployments_json import deployment_json
from schemas.events import (
    ActivityNoted,
    DeploymentDefined,
    DeploymentStateNoted,
    Stamp,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.identity import subject_of

_DEFINITION_COLUMNS = field_count(9)
_STATE_COLUMNS = field_count(8)
_ACTIVITY_COLUMNS = field_count(9)
_HOLD_COLUMNS = field_count(7)
_REMOVED_COLUMNS = field_count(4)


def defined(event: DeploymentDefined, stamp: Stamp, record: Record, batch: Batch) -> None:
    """A deployment is registered, or is something else from here on."""
    said = event.deployment
    known = (
        text(driver_of(said)),
        jsonb(deployment_json(said)),
        bigint(said.priority),
        text(said.zone),
        instant(stamp.decided_at),
        text(stamp.actor),
        bytea(record.value()),
    )
    _keep_definition(subject_of(event.schedule), known, stamp, batch)


def state_noted(event: DeploymentStateNoted, stamp: Stamp, batch: Batch) -> None:
    """It is in another state, or in the same by somebody else's doing."""
    known = (
        text(event.state.value),
        text(event.actor),
        instant(stamp.decided_at),
        text(event.run),
        words(event.detail),
    )
    stopped = event.state is DeploymentState.STOPPED
    _keep_state(subject_of(event.schedule), known, stamp, batch, stopped=stopped)


def activity_noted(event: ActivityNoted, stamp: Stamp, batch: Batch) -> None:
    """A sampler, or the service itself, has seen what it is doing."""
    known = (
        instant(event.last_request),
        bigint(event.in_flight),
        bigint(event.waiting),
        instant(event.sampled_at),
        bigint(event.served),
        bigint(event.rate),
        bigint(event.usual),
    )
    _keep_activity(subject_of(event.schedule), known, stamp, batch)


def held(event: SubjectHeld | SubjectReleased, stamp: Stamp, batch: Batch) -> None:
    """It is held, or no longer; all of it, or its sleep and wake alone."""
    if isinstance(event, SubjectHeld):
        known = (
            words(event.reason),
            text(stamp.actor),
            instant(event.since),
            instant(event.until),
        )
    else:
        known = (NULL,) * 4
    subject = subject_of(event.schedule)
    _keep_hold(subject, known, stamp, batch, actions_only=event.actions_only)


def removed(event: SubjectRemoved, stamp: Stamp, batch: Batch) -> None:
    """It is gone, and all that was measured of it and proposed for it."""
    subject = subject_of(event.schedule)
    _keep_definition(subject, (NULL,) * 7, stamp, batch)
    for yes_and_no in (True, False):
        _keep_state(subject, (NULL,) * 5, stamp, batch, stopped=yes_and_no)
        _keep_hold(subject, (NULL,) * 4, stamp, batch, actions_only=yes_and_no)
    _keep_activity(subject, (NULL,) * 7, stamp, batch)
    data = b"".join(
        (
            _REMOVED_COLUMNS,
            text(subject),
            instant(stamp.decided_at),
            bigint(stamp.partition),
            bigint(stamp.sequence),
        )
    )
    batch.removed_subjects.keep(subject, (0, stamp.sequence), data)


def _keep_definition(subject: str, known: tuple[bytes, ...], stamp: Stamp, batch: Batch) -> None:
    data = (_DEFINITION_COLUMNS, text(subject), *known, bigint(stamp.sequence))
    batch.definitions.keep(subject, (0, stamp.sequence), b"".join(data))


def _keep_state(
    subject: str, known: tuple[bytes, ...], stamp: Stamp, batch: Batch, *, stopped: bool
) -> None:
    """Who stopped it last is known also after it was started again in the same batch."""
    end = TRUE if stopped else FALSE
    data = (_STATE_COLUMNS, text(subject), *known, end, bigint(stamp.sequence))
    batch.states.keep((subject, stopped), (0, stamp.sequence), b"".join(data))


def _keep_activity(subject: str, known: tuple[bytes, ...], stamp: Stamp, batch: Batch) -> None:
    data = (_ACTIVITY_COLUMNS, text(subject), *known, bigint(stamp.sequence))
    batch.activities.keep(subject, (0, stamp.sequence), b"".join(data))


def _keep_hold(
    subject: str, known: tuple[bytes, ...], stamp: Stamp, batch: Batch, *, actions_only: bool
) -> None:
    data = (
        *(_HOLD_COLUMNS, text(subject), boolean(actions_only)),
        *(*known, bigint(stamp.sequence)),
    )
    batch.subject_holds.keep((subject, actions_only), (0, stamp.sequence), b"".join(data))
