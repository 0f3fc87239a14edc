"""
Which schedule does a path name, and which instants does a query?

Each part of a path is a name as it is, an escaped slash included; what cannot be an id is answered
like one that is not there. Instants need an offset, so that they mean the same everywhere.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from horae.api.doorway import ESCAPED_SLASH
from horae.api.problems import Problem, not_there
from schemas.identity import IdFault, schedule_id, subject_id
from schemas.instants import parse_instant
from streams.calendar.zones import check_zone


def _plain(part: str) -> str:
    return part.replace(ESCAPED_SLASH, "/")


def _schedule(subject: str, name: str) -> str:
    """The canonical id."""
    about = f"{_plain(subject)}/{_plain(name)}"
    try:
        return schedule_id(about)
    except IdFault as fault:
        raise not_there(f"schedule {about}") from fault


def _subject(subject: str) -> str:
    """The canonical form of what concerns a subject as a whole: `subject/`."""
    try:
        return subject_id(_plain(subject))
    except IdFault as fault:
        raise not_there(f"subject {_plain(subject)}") from fault


def _name(name: str) -> str:
    return _plain(name)


def _viewer(
    zone: Annotated[
        str | None, Query(description="The zone of who looks: instants are shown in it, too.")
    ] = None,
) -> str | None:
    return None if zone is None else check_zone(zone)


def instant(text: str, field: str) -> int:
    """An instant of a query; a Problem names the field."""
    try:
        # An offset with a plus that was not escaped arrives as a blank.
        return parse_instant(text.strip().replace(" ", "+") if "T" in text else text)
    except ValueError as fault:
        raise Problem(400, "refused", str(fault), field) from fault


Schedule = Annotated[str, Depends(_schedule)]
Subject = Annotated[str, Depends(_subject)]
Name = Annotated[str, Depends(_name)]
Viewer = Annotated[str | None, Depends(_viewer)]
