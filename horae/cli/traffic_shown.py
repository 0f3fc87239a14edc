"""
What is usual for a deployment, and what is it doing now?

`traffic show` reads the views: the profile of its week (drawn by heat_map.py), the last sample and
the state that was told last. How it is counted is projections/profiles.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import checked_subject
from horae.cli.endings import CODES, Said
from horae.cli.output import Form, Output, console, printable, say, show_fields, show_json
from horae.cli.times import both_times, utc_or_none
from horae.cli.views import views

if TYPE_CHECKING:
    import psycopg

    from horae.cli.heat_map import Shown
    from projections.shown_traffic import DeploymentShown
    from schemas.profiles import Profile

EPILOG = f"Example: horae traffic show chat --p95. {CODES}"

Deployment = Annotated[
    str,
    typer.Argument(
        metavar="DEPLOYMENT", help="Its subject, as it was registered.", show_default=False
    ),
]


def show_traffic(
    deployment: Deployment,
    *,
    p95: Annotated[
        bool, typer.Option("--p95", help="Shade by the p95 of requests a minute, not the p50.")
    ] = False,
    active: Annotated[
        bool, typer.Option("--active", help="Shade by the share of minutes with requests.")
    ] = False,
    output: Output = Form.TABLE,
) -> None:
    """Draw the usual week of a deployment, hour by hour in its own zone, and say what it does."""
    from projections import traffic_queries as asked

    name, wanted = checked_subject(deployment).removesuffix("/"), _wanted(p95=p95, active=active)

    def question(
        connection: psycopg.Connection[Any],
    ) -> tuple[DeploymentShown | None, Profile | None]:
        return asked.deployment(connection, name), asked.profile(connection, name)

    with views() as reads:
        row, profile = reads.look(question)
    if row is None:
        raise Said(f"{name}: the views know no such deployment")
    if output is Form.JSON:
        show_json(as_json(row, profile))
        return
    show_fields(fields_of(row, profile))
    say("")
    if profile is None:
        say(_nothing_yet(row))
        return
    _draw(profile, wanted)


def _wanted(*, p95: bool, active: bool) -> Shown:
    from horae.cli.endings import Ending
    from horae.cli.heat_map import Shown

    if p95 and active:
        raise Said("--p95 and --active: one of them", Ending.USAGE)
    return Shown.ACTIVE if active else Shown.P95 if p95 else Shown.P50


def _draw(profile: Profile, shown: Shown) -> None:
    from horae.cli.heat_map import heat_map

    where = console()
    coloured = where.color_system is not None and not where.no_color
    for line in heat_map(profile, shown, coloured=coloured):
        where.print(line)


def fields_of(row: DeploymentShown, profile: Profile | None) -> dict[str, str]:
    """What stands above the map."""
    zone = row.deployment.zone if profile is None else profile.zone
    fields = {"deployment": row.subject, "zone": zone, "state": state_words(row)}
    if profile is not None:
        fields["observed"] = (
            f"{_counted(profile.days, 'day')}, {_counted(weeks_of(profile), 'week')}"
        )
    fields["last sample"] = _sample_words(row, zone)
    if row.held_since is not None or row.actions_held_since is not None:
        fields["held"] = printable(row.held_reason or row.actions_held_reason or "no reason given")
    return fields


def state_words(row: DeploymentShown) -> str:
    """Such as `asleep since 2026-11-30T23:00:01Z by schedule:chat/night`."""
    if row.state_since is None:
        return f"{row.state}, nobody has told it yet"
    by = f" by {row.state_actor}" if row.state_actor else ", nobody said who"
    return f"{row.state} since {utc_or_none(row.state_since)}{by}"


def weeks_of(profile: Profile) -> int:
    """In how many weeks its best known hour was observed."""
    return max((hour.weeks for hour in profile.hours), default=0)


def _sample_words(row: DeploymentShown, zone: str) -> str:
    if row.sampled_at is None:
        return "none"
    return f"{both_times(row.sampled_at, zone)}, {row.in_flight} in flight, {row.waiting} waiting"


def _nothing_yet(row: DeploymentShown) -> str:
    if row.sampled_at is not None:
        return "no profile yet: the first one is counted once its first minutes are in the views"
    if row.deployment.metrics is None:
        return "no traffic yet: no page of metrics is known, and nobody has sent a sample"
    return f"no traffic yet: nothing was read from {row.deployment.metrics.url}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def as_json(row: DeploymentShown, profile: Profile | None) -> dict[str, Any]:
    """All of it for a program, rates as requests a minute."""
    from horae.traffic_shown import profile_json

    return {
        "deployment": row.subject,
        "state": row.state,
        "state_actor": row.state_actor,
        "state_since": utc_or_none(row.state_since),
        "sampled_at": utc_or_none(row.sampled_at),
        "in_flight": row.in_flight,
        "waiting": row.waiting,
        "profile": None if profile is None else profile_json(profile),
    }
