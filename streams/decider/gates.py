"""
May this action be carried out now?

For an emit: is its topic allowed, and would the topic take this very record? For work that runners
do: is there a topic for their orders, and is what is to sleep or wake registered? The answer is a
sentence, which becomes the evidence of the deferral or the message of the refusal, or None. What is
known of the topics is looked up by the processor (targets.py) and handed in with the world.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache

from schemas.actions import Act, Work
from schemas.definition import Emit
from streams.decider.pools import topic_of
from streams.decider.state import Plan, World

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


def refuses(plan: Plan, world: World) -> str | None:
    """Why the action of a schedule cannot be carried out at this moment."""
    action = plan.definition.action
    if action.work is not None:
        return _unregistered(plan, world) or _no_orders(action.work, world)
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


def _unregistered(plan: Plan, world: World) -> str | None:
    """Why nobody can let it sleep or wake: it may be registered later, and then is."""
    is_act = isinstance(plan.definition.action.work, Act)
    if not is_act or world.subject.notes.deployment is not None:
        return None
    return f"no deployment {plan.subject} is registered"


def _no_orders(work: Work, world: World) -> str | None:
    """Why no order of this work can be written now."""
    target = world.targets.get(topic_of(work, world.subject.notes))
    return None if target is None else target.fault


def field_of(plan: Plan, world: World) -> str:
    """The field of a definition because of which its action is refused."""
    if _unregistered(plan, world) is not None:
        return "deployment"
    return "emit.topic" if plan.definition.action.work is None else "pool"


def size_of(action: Emit) -> int:
    """Bytes of the emitted record, with room for the headers that we add."""
    headers = sum(len(name) + len(value or b"") + 4 for name, value in action.headers)
    return len(action.key or b"") + len(action.value or b"") + headers + _HEADROOM
