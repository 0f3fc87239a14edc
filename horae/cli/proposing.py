"""
How are deployments looked through for hours in which they could sleep?

Once, or every day at one time; what is proposed waits for an admin (proposals.py). What is looked
for is streams/proposals, who judges it horae/proposing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.endings import CODES, Ending, Said, ending_of
from horae.cli.output import Form, Output, note, printable, show_json, show_json_line, show_table
from horae.cli.views import NO_DATABASE, views

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from horae.proposing.rounds import Done, Finding
    from horae.proposing.settings import ProposingSettings

EPILOG = (
    "Example: horae propose --dry-run. Each day: horae propose --daily 06:00 --zone Europe/Berlin. "
    f"Read from the views; settings of the model: `horae config`. {CODES}"
)


def propose(
    subjects: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SUBJECT...]", help="Only these deployments. Default: all.", show_default=False
        ),
    ] = None,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Send nothing; a model is asked all the same.")
    ] = False,
    daily: Annotated[
        str | None,
        typer.Option(
            metavar="HH:MM", help="Stay, and do it each day at this time.", show_default=False
        ),
    ] = None,
    zone: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Of --daily, such as Europe/Berlin. Default: UTC."),
    ] = None,
    output: Output = Form.TABLE,
) -> None:
    """
    Propose sleep where a deployment is idle at the same hours each week.

    Rules find the hours in what was measured, a decision model judges them, if one is set up;
    proposals that fit no more are withdrawn. Nothing sleeps before an admin accepts.
    """
    from horae.cli.asking import checked_subject
    from horae.proposing.settings import ProposingSettings

    if zone is not None and daily is None:
        raise Said("--zone: only together with --daily", Ending.USAGE)
    at = None if daily is None else _time_of_day(daily)
    wanted = list(dict.fromkeys(checked_subject(one).removesuffix("/") for one in subjects or ()))
    settings = ProposingSettings()
    if at is not None:
        _each_day(at, zone or "UTC", settings, wanted, dry_run=dry_run, output=output)
        return
    done = _round(settings, wanted, dry_run=dry_run)
    if output is Form.JSON:
        show_json([_as_json(one) for one in done])
    else:
        _show(done, dry_run=dry_run)
    ending = max((_ending(one) for one in done), default=Ending.DONE)
    if ending is not Ending.DONE:
        raise typer.Exit(ending)


def _each_day(
    at: int,
    zone: str,
    settings: ProposingSettings,
    wanted: Sequence[str],
    *,
    dry_run: bool,
    output: Form,
) -> None:
    """Until SIGTERM or Ctrl-C; a round that goes on ends behind the deployment it is at."""
    from horae.cli.roles import begin
    from horae.proposing.daily import each_day
    from horae.proposing.metrics import ProposerMetrics, served
    from streams.calendar.zones import check_zone
    from streams.clock import SystemClock
    from streams.processor.main import stop_on_signals

    check_zone(zone)
    if begin().postgres_dsn is None:
        raise Said(NO_DATABASE, Ending.UNREACHABLE)  # it would fail each day anew
    stopping = stop_on_signals()

    metrics = ProposerMetrics()

    def work() -> None:
        with metrics.round():
            done = _round(settings, wanted, dry_run=dry_run, stopping=stopping)
        metrics.note(done)
        if output is Form.JSON:
            show_json_line([_as_json(one) for one in done])
        else:
            _show([one for one in done if one.finding.order is not None], dry_run=dry_run)

    with served(metrics, settings):
        each_day(at, zone, work, clock=SystemClock(), stopping=stopping)


def _round(
    settings: ProposingSettings,
    wanted: Sequence[str],
    *,
    dry_run: bool,
    stopping: Callable[[], bool] = lambda: False,
) -> list[Done]:
    from contextlib import ExitStack

    from horae.cli.asking import asking
    from horae.cli.progress import filling
    from horae.proposing.endpoint import Endpoint
    from horae.proposing.judging import Judge
    from horae.proposing.known import look
    from horae.proposing.rounds import Round, carry_out
    from streams.clock import SystemClock

    with ExitStack() as parts:
        reads = parts.enter_context(views())
        model = Endpoint.of(settings)
        if model is not None:
            parts.enter_context(model)
        client = None if dry_run else parts.enter_context(asking())
        told = parts.enter_context(filling("Looking for hours to sleep"))
        known = look(reads, wanted)
        one_round = Round(
            known=known,
            judge=Judge(model, settings.proposal_threshold, lambda text: note(printable(text))),
            now=SystemClock().wall(),
            stands=lambda schedule: reads.schedule(schedule) is not None,
        )
        whom = wanted or known.subjects
        return list(carry_out(one_round, whom, client, progress=told, stopping=stopping))


def _show(done: Sequence[Done], *, dry_run: bool) -> None:
    show_table(
        ["deployment", "what", "windows", "why"],
        [_row(one, dry_run=dry_run) for one in done],
        empty="nothing was measured of any deployment",
    )


def _row(done: Done, *, dry_run: bool) -> list[str]:
    from horae.proposing.shown import windows_words

    finding = done.finding
    windows = () if finding.candidate is None else finding.candidate.windows
    what, why = _what(done, dry_run=dry_run)
    return [finding.subject, what, windows_words(windows) or "-", why]


def _what(done: Done, *, dry_run: bool) -> tuple[str, str]:
    """What became of a deployment in this round, and why."""
    from schemas.replies import Verdict

    finding, reply = done
    if finding.order is None:
        return "-", finding.why
    if reply is None:
        return ("would " if dry_run else "") + _asked(finding), finding.why
    if isinstance(reply, Exception):
        return "no reply", ending_of(reply)[0]
    if reply.verdict is Verdict.REFUSED:
        return "refused", f"{reply.field}: {reply.message}" if reply.field else reply.message or ""
    if reply.verdict is Verdict.UNCHANGED:
        return "unchanged", reply.message or finding.why
    return _asked(finding), finding.why


def _asked(finding: Finding) -> str:
    if finding.proposal is not None:
        return f"propose {finding.proposal.id}"
    return f"withdraw {finding.withdraw}"


def _as_json(done: Done) -> dict[str, Any]:
    from horae.cli.asking import reply_as_json
    from horae.proposing.shown import finding_json

    found = finding_json(done.finding)
    if done.reply is None:
        return found | {"reply": None}
    if isinstance(done.reply, Exception):
        return found | {"reply": {"verdict": None, "message": ending_of(done.reply)[0]}}
    return found | {"reply": reply_as_json(done.reply)}


def _ending(done: Done) -> Ending:
    from horae.cli.asking import went_well

    if done.reply is None:
        return Ending.DONE
    if isinstance(done.reply, Exception):
        return ending_of(done.reply)[1]
    return Ending.DONE if went_well(done.reply) else Ending.REFUSED


def _time_of_day(text: str) -> int:
    """Seconds of the local day; 24:00 is no time of a day."""
    from schemas.wall_times import DAY_SECONDS, parse_clock

    try:
        found = parse_clock(text)
    except ValueError as fault:
        raise Said(f"--daily: {fault}", Ending.USAGE) from fault
    if found >= DAY_SECONDS:
        raise Said("--daily: a day ends at 24:00; write 00:00", Ending.USAGE)
    return found
