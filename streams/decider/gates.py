"""
May this action be carried out now?

For an emit: is its topic allowed, and would the topic take this very record? For work that runners
do: is there a topic for their orders? The answer is a sentence, which becomes the evidence of the
deferral or the message of the refusal, or None. What is known of the topics is looked up by the
processor (targets.py) and handed in with the world.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache

from schemas.actions import Work
from schemas.definition import Action, Emit
from streams.decider.pools import topic_of
from streams.decider.state import World

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_HEADROOM = 1_200
"""Bytes kept for our own headers and the record's overhead."""


def forbids(topic: str, world: World) -> str | None:
    """Why emits may not write to this topic at all under the settings in force."""
    return _forbidden(topic, world.settings.emit_topics if world.settings else ())


@lru_cache(maxsize=4096)
def _forbidden(topic: str, allowed: tuple[str, ...]) -> str | None:
    if not _TOPIC.fullmatch(topic) or topic in {".", ".."}:
        return f"{topic!r} is no topic name (1 to 249 of A-Z a-z 0-9 . _ -)"
    if topic.startswith(("horae.", "__")):
        return f"{topic!r} is reserved: topics of the scheduler and the broker are no targets"
    if not any(fnmatchcase(topic, pattern) for pattern in allowed):
        return f"{topic!r} is not among the allowed topics ({', '.join(allowed) or 'none'})"
    return None


def refuses(action: Action, world: World) -> str | None:
    """Why this action cannot be carried out at this moment."""
    if action.work is not None:
        return _no_orders(action.work, world)
    forbidden = forbids(action.topic, world)
    if forbidden is not None:  # the limits may have changed since it was defined
        return forbidden
    target = world.targets.get(action.topic)
    if target is None or target.fault is not None:
        return None if target is None else target.fault
    if target.needs_key and action.key is None:
        return f"topic {action.topic!r} is compacted and takes no record without a key"
    size, most = size_of(action), target.max_bytes
    if size <= most:
        return None
    return f"topic {action.topic!r} takes {most} bytes, the record has {size}"


def _no_orders(work: Work, world: World) -> str | None:
    """Why no order of this work can be written now."""
    target = world.targets.get(topic_of(work, world.subject.notes.app))
    return None if target is None else target.fault


def field_of(action: Action) -> str:
    """The field of a definition that says where this action goes."""
    return "emit.topic" if action.work is None else "pool"


def size_of(action: Emit) -> int:
    """Bytes of the emitted record, with room for the headers that we add."""
    headers = sum(len(name) + len(value or b"") + 4 for name, value in action.headers)
    return len(action.key or b"") + len(action.value or b"") + headers + _HEADROOM
