"""What is proposed in the tests of faces?"""

from __future__ import annotations

from typing import Any

import psycopg

from horae.client import Client
from projections.shown_traffic import ProposalShown
from schemas.commands import DefineDeployment
from schemas.deployments import Deployment, Vllm
from schemas.instants import parse_instant
from schemas.profiles import Profile
from schemas.proposals import IdleWindow

PROPOSED_AT = parse_instant("2026-11-30T06:00:00Z")
NIGHT = IdleWindow(0, 79_200, 1, 27_900, 600, 3, 3)
"""Monday 22:00 to Tuesday 7:45."""


def a_row(**more: Any) -> ProposalShown:
    """A proposal that waits, as the views have it."""
    given: dict[str, Any] = {
        "subject": "llama",
        "id": "pp_1",
        "status": "open",
        "windows": (NIGHT,),
        "zone": "Europe/Berlin",
        "source": "model",
        "confidence": 810,
        "reason": "quiet at night",
        "prompt": "Should it?",
        "answer": '{"decision": "propose"}',
        "proposed_at": PROPOSED_AT,
        "proposed_by": "user:ada",
        "settled_at": None,
        "settled_by": None,
        "settled_reason": None,
        "schedules": (),
    }
    return ProposalShown(**(given | more))


def register(client: Client, subject: str, *, zone: str = "UTC", priority: int = 50) -> None:
    """Let a deployment be known."""
    from horae.client import Order

    driver = Vllm("http://127.0.0.1:9")
    client.ask(Order(subject, DefineDeployment(Deployment(driver, priority, zone))))


def keep_profile(dsn: str, profile: Profile) -> None:
    """Put a profile into the views, as if it had been measured."""
    with psycopg.connect(dsn) as connection:
        connection.execute(
            "SELECT set_config('search_path', 'horae_v' || version, false) FROM horae.serving"
        )
        connection.execute("DELETE FROM traffic_profiles WHERE subject = %s", [profile.subject])
        insert = (
            "INSERT INTO traffic_profiles (subject, hour, zone, p50, p95, active_share, minutes,"
            " weeks, idle_weeks, days, computed_at)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, now())"
        )
        rows = [
            (profile.subject, one.hour, profile.zone, one.p50, one.p95, one.active, one.minutes,
             one.weeks, one.idle_weeks, profile.days)
            for one in profile.hours
        ]  # fmt: skip
        with connection.cursor() as cursor:
            cursor.executemany(insert, rows)
