"""
Which look at a deployment's traffic is this record of horae.samples?

Its key is the subject; its value, JSON or Avro, says what was seen. A service that knows its own
requests may send it instead of a sampler.
"""

from __future__ import annotations

from typing import Any, Final

from schemas.codec import decode_as
from schemas.faults import FieldFault, Unreadable
from schemas.fields import Fields, or_null, read_instant, read_whole
from schemas.identity import IdFault, subject_id
from schemas.instants import format_instant
from schemas.json_text import parse_json
from schemas.limits import check_least, check_moment
from schemas.registry import MAGIC
from schemas.traffic import Sample

SAMPLE_FIELDS: Final = ("sampled_at", "in_flight", "waiting", "finished", "micros")
_NUMBERS: Final = SAMPLE_FIELDS[1:]


def read_sample(key: bytes | None, value: bytes | None) -> tuple[str, Sample]:
    """The subject and what was seen of it; raises Unreadable, also for what none can be."""
    try:
        subject = subject_id((key or b"").decode()).removesuffix("/")
    except (UnicodeDecodeError, IdFault) as fault:
        raise Unreadable(f"the key names no subject: {fault}") from fault
    if value is None or (value[:2] != MAGIC and value[:1] != b"{"):
        raise Unreadable("a sample is JSON or Avro")
    try:
        if value[:1] == b"{":
            return subject, sample_of(parse_json(value))
        return subject, check_sample(decode_as(value, Sample))
    except FieldFault as fault:
        raise Unreadable(str(fault)) from fault


def sample_of(data: object) -> Sample:
    """What was seen, in plain data; raises FieldFault."""
    fields = Fields(data, "", SAMPLE_FIELDS)
    return check_sample(
        Sample(
            sampled_at=fields.need("sampled_at", read_instant),
            in_flight=fields.need("in_flight", read_whole),
            waiting=fields.need("waiting", read_whole),
            finished=fields.take("finished", or_null(read_whole), None),
            micros=fields.take("micros", or_null(read_whole), None),
        )
    )


def check_sample(sample: Sample) -> Sample:
    """Give a sample back if there can be such a one; FieldFault if not."""
    check_moment(sample.sampled_at, "sampled_at")
    for name in _NUMBERS:
        number: int | None = getattr(sample, name)
        if number is not None:
            check_least(number, 0, name)
    return sample


def sample_json(sample: Sample) -> dict[str, Any]:
    """The JSON form; what is not known is left out."""
    numbers = {name: getattr(sample, name) for name in _NUMBERS}
    known = {name: number for name, number in numbers.items() if number is not None}
    return {"sampled_at": format_instant(sample.sampled_at), **known}
