"""
What does an operator say of a subject as a whole?

That nothing of it is evaluated (`hold`) and that it is again (`release`), that it or one of its
targets is gone, and what a sampler saw of it. A hold over everything is everywhere.py, what its
containers are made of is apps.py.
"""

from __future__ import annotations

from typing import Annotated

import typer

from horae.cli import apps, going_on
from horae.cli.asking import checked_subject, send
from horae.cli.endings import CODES
from horae.cli.output import Form, Output
from horae.cli.times import instant_from

app = typer.Typer(no_args_is_help=True, help="Hold, release and remove a subject as a whole.")
app.command("show", epilog=going_on.EPILOG)(going_on.show_subject)
app.command("app", epilog=apps.EPILOG)(apps.define_app)

Subject = Annotated[
    str,
    typer.Argument(
        metavar="SUBJECT",
        help="What stands before the slash of its schedules' ids, such as billing.",
        show_default=False,
    ),
]
Reason = Annotated[
    str,
    typer.Option(
        "--reason", "-r", metavar="TEXT", help="Why; stands in the ledger beside your name."
    ),
]
_OPTIONS = {"reason": "--reason", "until": "--until", "target": "TARGET"}


@app.command(epilog=f"Example: horae subject hold billing -r 'moving' --until 2h. {CODES}")
def hold(
    subject: Subject,
    *,
    reason: Reason = "",
    until: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="When the hold ends by itself: an instant such as 2026-12-01T09:00:00+01:00, or "
            "a length of time from now such as 2h. Default: when it is released.",
            show_default=False,
        ),
    ] = None,
    actions_only: Annotated[
        bool, typer.Option("--actions-only", help="Only its sleep and wake.")
    ] = False,
    output: Output = Form.TABLE,
) -> None:
    """Evaluate nothing of a subject until it is released."""
    from schemas.commands import HoldSubject
    from streams.clock import SystemClock

    about = checked_subject(subject)
    end = None if until is None else instant_from(until, "--until", SystemClock())
    send(about, HoldSubject(reason, end, actions_only), output, _OPTIONS)


@app.command(epilog=f"Example: horae subject release billing -r 'moved'. {CODES}")
def release(subject: Subject, reason: Reason = "", output: Output = Form.TABLE) -> None:
    """Lift the hold; what was due meanwhile is late, and each schedule's catch_up decides."""
    from schemas.commands import ReleaseSubject

    send(checked_subject(subject), ReleaseSubject(reason), output, _OPTIONS)


@app.command(epilog=f"Example: horae subject remove billing --cancel -r 'sold'. {CODES}")
def remove(
    subject: Subject,
    *,
    reason: Reason = "",
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Ask what runs to stop; else it goes on.")
    ] = False,
    output: Output = Form.TABLE,
) -> None:
    """Remove each schedule of a subject, and what is known of it; its history stays."""
    from schemas.commands import RemoveSubject

    send(checked_subject(subject), RemoveSubject(reason, cancel), output, _OPTIONS)


@app.command(
    "remove-target",
    epilog=f"Example: horae subject remove-target hall-3 rack-a -r 'scrapped'. {CODES}",
)
def remove_target(
    subject: Subject,
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="Such as rack-a.", show_default=False)
    ],
    reason: Reason = "",
    output: Output = Form.TABLE,
) -> None:
    """Take a target that is gone out of all schedules of a subject."""
    from schemas.commands import RemoveTarget

    send(checked_subject(subject), RemoveTarget(target, reason), output, _OPTIONS)


@app.command(
    epilog="Example: horae subject activity llama --in-flight 0 --waiting 0 --last-request 12m. "
    f"{CODES}"
)
def activity(
    subject: Subject,
    *,
    in_flight: Annotated[
        int, typer.Option(metavar="N", help="Requests that are being served.", show_default=False)
    ],
    waiting: Annotated[int, typer.Option(metavar="N", help="Requests that wait.")] = 0,
    last_request: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="When the last one came: an instant, or a length of time back from now. "
            "Default: none was ever seen.",
            show_default=False,
        ),
    ] = None,
    sampled_at: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="When this was seen: an instant, or a length of time back from now. Default: now.",
            show_default=False,
        ),
    ] = None,
    output: Output = Form.TABLE,
) -> None:
    """Say what was seen of a subject's requests; only the newest word counts."""
    from schemas.commands import ReportActivity
    from streams.clock import SteppedClock, SystemClock

    clock = SteppedClock(SystemClock().wall())  # one moment for both lengths of time
    seen = ReportActivity(
        in_flight=in_flight,
        waiting=waiting,
        sampled_at=clock.wall()
        if sampled_at is None
        else instant_from(sampled_at, "--sampled-at", clock, back=True),
        last_request=None
        if last_request is None
        else instant_from(last_request, "--last-request", clock, back=True),
    )
    names = {"in_flight": "--in-flight", "waiting": "--waiting"}
    send(checked_subject(subject), seen, output, names)
