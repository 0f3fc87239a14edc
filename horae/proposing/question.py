"""
What is a decision model asked about a deployment, and what does its answer say?

The question holds what was measured and the windows in which it could sleep; the answer is JSON of
one shape. How it is sent is endpoint.py, what follows from the answer is judging.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from schemas.profiles import Profile
from schemas.proposals import IdleWindow
from schemas.wall_times import WEEKDAYS, format_clock

MOST_REASON = 1_000
"""Characters of the model's reason that are kept."""
_HOURS = 24

INSTRUCTIONS = (
    "You decide whether a model deployment should be put to sleep every week in the given windows, "
    "to save its accelerators. While it sleeps, requests wait until it is woken. The windows were "
    "found by rules from its measured traffic: nothing came in them in at least 90 % of the "
    "observed weeks. Answer 'propose' if the same windows can be expected to stay idle in the "
    "coming weeks, 'skip' if the pattern looks accidental, too young or too risky. An "
    "administrator sees each proposal before anything happens. Give your confidence in the "
    "decision from 0 to 1 and the reason in one or two sentences."
)

ANSWER_FORMAT: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "sleep_decision",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "decision": {"type": "string", "enum": ["propose", "skip"]},
                # Not all that know schemas know bounds of numbers; the answer is looked at anyway.
                "confidence": {"type": "number", "description": "from 0 to 1"},
                "reason": {"type": "string"},
            },
            "required": ["decision", "confidence", "reason"],
            "additionalProperties": False,
        },
    },
}


class BadAnswer(ValueError):
    """The model answered something that is no decision; the message says what is wrong."""


class Decision(NamedTuple):
    """What the model thinks."""

    propose: bool
    confidence: Decimal
    """0 to 1, as it was written."""
    reason: str

    @property
    def thousandths(self) -> int:
        """The confidence as it is kept; what lies between two is the lower one."""
        return int(self.confidence * 1_000)


def messages_about(profile: Profile, windows: Sequence[IdleWindow]) -> list[dict[str, str]]:
    """The question, as a list of messages."""
    facts = {
        "deployment": profile.subject,
        "priority": f"{profile.priority} of 100",
        "time_zone": profile.zone,
        "days_with_data": profile.days,
        "windows": [_window(window) for window in windows],
        "share_of_active_minutes_percent_by_hour": _shares(profile),
    }
    return [
        {"role": "system", "content": INSTRUCTIONS},
        {"role": "user", "content": json.dumps(facts, ensure_ascii=False)},
    ]


def read_decision(text: str) -> Decision:
    """The decision in an answer; BadAnswer if there is none."""
    try:
        found = json.loads(text, parse_float=_number, parse_int=Decimal, parse_constant=_no_number)
    except (ValueError, RecursionError) as fault:
        raise BadAnswer(f"it is no JSON ({fault})") from fault
    if not isinstance(found, dict):
        raise BadAnswer("it is no object")
    for name in ("decision", "confidence", "reason"):
        if name not in found:
            raise BadAnswer(f"it has no {name}")
    decision, confidence, reason = found["decision"], found["confidence"], found["reason"]
    if decision not in ("propose", "skip"):
        raise BadAnswer("its decision is neither propose nor skip")
    if not isinstance(confidence, Decimal) or not 0 <= confidence <= 1:
        raise BadAnswer("its confidence is no number from 0 to 1")
    if not isinstance(reason, str):
        raise BadAnswer("its reason is no text")
    return Decision(decision == "propose", confidence, plain(reason)[:MOST_REASON])


def window_words(window: IdleWindow) -> str:
    """A window for people: `mon 22:00 to tue 07:45`."""
    sleep = f"{WEEKDAYS[window.sleep_day]} {format_clock(window.sleep_at)}"
    return f"{sleep} to {WEEKDAYS[window.wake_day]} {format_clock(window.wake_at)}"


def plain(text: str) -> str:
    """The text as every store can hold it: JSON may escape halves of characters, and NUL."""
    return text.encode(errors="replace").decode().replace("\0", "?").strip()


def _window(window: IdleWindow) -> dict[str, Any]:
    return {
        "sleep_and_wake": window_words(window),
        "idle_minutes": window.minutes,
        "observed_weeks": window.weeks,
        "idle_weeks": window.idle_weeks,
    }


def _shares(profile: Profile) -> dict[str, list[int | None]]:
    """By day, an entry for each hour; null: not observed."""
    known = {hour.hour: round(hour.active / 10) for hour in profile.hours if hour.minutes}
    return {
        name: [known.get(day * _HOURS + hour) for hour in range(_HOURS)]
        for day, name in enumerate(WEEKDAYS)
    }


def _number(text: str) -> Decimal:
    """JSON bounds no exponent, and what reads it does."""
    try:
        return Decimal(text)
    except ArithmeticError as fault:
        raise ValueError(f"{text[:40]} is beyond all numbers") from fault


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")
