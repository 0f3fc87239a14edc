"""
How does a preview look?

A table with an instant a line, what moved it beside it, and what does not come in its place; or
JSON with all of that apart. What is found is horae/previewing.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from horae.cli.output import note, say, show_json, show_table
from horae.cli.times import local_time, utc_or_none

if TYPE_CHECKING:
    from horae.left_out import LeftOut
    from horae.preview_rules import Asked
    from horae.previewing import Coming, Preview

    Found = Sequence[tuple[Asked, Preview]]

_NOTHING = "it does not come again"


def as_text(found: Found) -> None:
    """A table for each of what was previewed, under what it means in plain English."""
    from horae.previewing import in_words
    from streams.calendar.ticks import LAST_INSTANT

    for number, (asked, preview) in enumerate(found):
        if number:
            say("")
        if len(found) > 1 or asked.definition.description:
            said = asked.definition.description
            say(f"{asked.schedule}: {said}" if said else asked.schedule)
        say(in_words(asked))
        say("")
        _table(asked, preview)
        for remark in preview.remarks:
            note(f"note: {remark}")
        # Without an end there are always more, as everybody knows.
        if preview.truncated and (asked.backwards or asked.up_to < LAST_INSTANT):
            note(f"there are more than {len(preview.coming)}: --limit shows them")


def as_json(found: Found, *, several: bool) -> None:
    """One object for an expression, a list of them for a file."""
    objects = [_object(asked, preview) for asked, preview in found]
    show_json(objects if several else objects[0])


def _table(asked: Asked, preview: Preview) -> None:
    zone = asked.definition.zone
    moved = any(each.due != each.instant for each in preview.coming)
    waits = any(each.starts is not None for each in preview.coming)
    told = any(each.marks for each in preview.coming) or bool(preview.left_out)
    columns = [zone, "UTC", *(["due"] if moved else []), *(["starts"] if waits else [])]
    rows = []
    for each in _in_order(preview, backwards=asked.backwards):
        cells, words = _cells(each, zone)
        rows.append(
            [
                *cells[:2],
                *(cells[2:3] if moved else []),
                *(cells[3:4] if waits else []),
                *([words] if told else []),
            ]
        )
    show_table([*columns, *(["note"] if told else [])], rows, empty=_NOTHING)


def _in_order(preview: Preview, *, backwards: bool) -> list[Coming | LeftOut]:
    """What comes and what does not, by time; what does not come stands before what comes next."""
    from horae.left_out import LeftOut

    both: list[Coming | LeftOut] = [*preview.coming, *preview.left_out]
    both.sort(
        key=lambda each: (each.before, 0) if isinstance(each, LeftOut) else (each.instant, 1),
        reverse=backwards,
    )
    return both


def _cells(each: Coming | LeftOut, zone: str) -> tuple[list[str], str]:
    from horae.left_out import LeftOut

    if isinstance(each, LeftOut):
        first, last = local_time(each.first, "UTC")[:-6], local_time(each.last, "UTC")[:-6]
        words = each.why if each.count == 1 else f"{each.count:,} up to {last} {each.why}"
        return [f"({first})", "-", "-", "-"], words
    starts = "-" if each.starts is None else local_time(each.starts, zone)
    due = local_time(each.due, zone)
    utc = utc_or_none(each.instant) or "-"
    return [local_time(each.instant, zone), utc, due, starts], "; ".join(each.marks)


def _object(asked: Asked, preview: Preview) -> dict[str, Any]:
    from horae.previewing import in_words

    zone = asked.definition.zone
    return {
        **({"schedule": asked.schedule} if asked.schedule else {}),
        "zone": zone,
        "explain": in_words(asked),
        "instants": [utc_or_none(each.instant) for each in preview.coming],
        "local": [local_time(each.instant, zone) for each in preview.coming],
        "truncated": preview.truncated,
        "details": [
            {
                "instant": utc_or_none(each.instant),
                "due": utc_or_none(each.due),
                "starts": utc_or_none(each.starts),
                "skipped": each.skipped,
                "marks": list(each.marks),
            }
            for each in preview.coming
        ],
        "left_out": [
            {
                "first": local_time(each.first, "UTC")[:-6],
                "last": local_time(each.last, "UTC")[:-6],
                "count": each.count,
                "why": each.why,
            }
            for each in preview.left_out
        ],
        "remarks": list(preview.remarks),
    }
