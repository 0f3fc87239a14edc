"""
How does an operator register a deployment, look at it, and tell its state?

A deployment is a subject that sleeps and wakes. `register` takes a file for all there is to say,
and options for what is usual; its schedules are defined like all others. What is shown comes from
the views.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import checked_subject, send
from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, show_fields, show_json, show_table
from horae.cli.views import views
from schemas.deployments import DeploymentState

if TYPE_CHECKING:
    from schemas.deployments import Deployment

app = typer.Typer(
    no_args_is_help=True,
    help="Register what sleeps and wakes, look at it, and tell its state.",
)

Subject = Annotated[
    str,
    typer.Argument(
        metavar="SUBJECT",
        help="What stands before the slash of its schedules' ids, such as llama.",
        show_default=False,
    ),
]
Reason = Annotated[
    str,
    typer.Option(
        "--reason", "-r", metavar="TEXT", help="Why; stands in the ledger beside your name."
    ),
]
_OPTIONS = {
    "vllm.url": "--vllm",
    "vllm.container": "--container",
    "container": "--container",
    "metrics.url": "--metrics",
    "priority": "--priority",
    "zone": "--zone",
    "pool": "--pool",
}


@app.command(
    epilog="Example: horae deployment register llama --vllm http://gpu-1:8000 --container llama "
    "--metrics http://gpu-1:8000/metrics --zone Europe/Berlin; or with all there is to say: "
    f"horae deployment register llama -f llama.yaml. {CODES}"
)
def register(
    subject: Subject,
    *,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            "-f",
            metavar="FILE",
            help="YAML or JSON with vllm, http or container and further fields, or - for input; "
            "options beside it win.",
            show_default=False,
        ),
    ] = None,
    vllm: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Of a server with vLLM's sleep and wake.", show_default=False
        ),
    ] = None,
    container: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The container that is stopped and started; without --vllm it is paused for a "
            "sleep, too.",
            show_default=False,
        ),
    ] = None,
    labelled: Annotated[
        bool,
        typer.Option("--labelled", help="The container with the label horae.deployment=SUBJECT."),
    ] = False,
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where its traffic is measured, such as http://gpu-1:8000/metrics.",
            show_default=False,
        ),
    ] = None,
    priority: Annotated[
        int | None,
        typer.Option(metavar="N", help="From 0 to 100. Default: 50.", show_default=False),
    ] = None,
    zone: Annotated[
        str | None,
        typer.Option(
            metavar="ZONE",
            help="In which its traffic is looked at. Default: UTC.",
            show_default=False,
        ),
    ] = None,
    pool: Annotated[
        str | None,
        typer.Option(
            metavar="POOL",
            help="Whose runners reach it. Default: the default pool.",
            show_default=False,
        ),
    ] = None,
    output: Output = Form.TABLE,
) -> None:
    """Let a subject be this deployment; what was registered before is replaced as a whole."""
    from schemas.commands import DefineDeployment

    about = checked_subject(subject)
    name, written = ("the options", {}) if file is None else _mapping(file)
    beside = {"metrics": metrics, "priority": priority, "zone": zone, "pool": pool}
    written |= _driver(vllm, container, labelled=labelled)
    written |= {field: value for field, value in beside.items() if value is not None}
    send(about, DefineDeployment(_read(written, name)), output, _OPTIONS)


@app.command("list", epilog=f"Example: horae deployment list --state asleep. {CODES}")
def list_deployments(
    *,
    state: Annotated[
        DeploymentState | None,
        typer.Option(metavar="STATE", help="Only those that are so.", show_default=False),
    ] = None,
    output: Output = Form.TABLE,
) -> None:
    """List what is registered, its state, and what was seen of its traffic."""
    from horae.cli.deployments_told import COLUMNS, shown_row
    from projections import traffic_queries

    with views() as reads:
        rows = reads.look(lambda session: traffic_queries.deployments(session, state=state))
    if output is Form.JSON:
        from horae.deployment_shown import shown_json

        show_json([shown_json(row) for row in rows])
        return
    show_table(COLUMNS, [shown_row(row) for row in rows], empty="no such deployment is registered")


@app.command(epilog=f"Example: horae deployment show llama -o json. {CODES}")
def show(subject: Subject, output: Output = Form.TABLE) -> None:
    """Show what a deployment is, its state and who brought it there, and its traffic."""
    from projections import traffic_queries

    name = checked_subject(subject).removesuffix("/")
    with views() as reads:
        row = reads.look(lambda session: traffic_queries.deployment(session, name))
    if row is None:
        raise Said(f"{name}: the views know no such deployment")
    if output is Form.JSON:
        from horae.deployment_shown import shown_json

        show_json(shown_json(row))
        return
    from horae.cli.deployments_told import shown_fields

    show_fields(shown_fields(row))


@app.command(
    epilog="Example: horae deployment report llama stopped --detail 'new driver'. What a person "
    f"stopped is woken by no schedule. {CODES}"
)
def report(
    subject: Subject,
    state: Annotated[
        DeploymentState,
        typer.Argument(
            metavar="STATE",
            help="running, asleep, stopped, starting or unknown.",
            show_default=False,
        ),
    ],
    *,
    actor: Annotated[
        str | None,
        typer.Option(
            metavar="WHO",
            help="Who brought it there, such as user:ada. Default: you (HORAE_ACTOR).",
            show_default=False,
        ),
    ] = None,
    detail: Annotated[str, typer.Option(metavar="TEXT", help="What else there is to say.")] = "",
    output: Output = Form.TABLE,
) -> None:
    """Tell in which state a deployment is from now on, and who brought it there."""
    from horae.cli.missing import warn_of_unregistered
    from schemas.commands import ReportState

    about = checked_subject(subject)
    names = {"actor": "--actor", "detail": "--detail"}
    send(about, ReportState(state, actor, detail), output, names)
    warn_of_unregistered({about.removesuffix("/")})


@app.command(epilog=f"Example: horae deployment remove llama -r 'retired'. {CODES}")
def remove(
    subject: Subject,
    *,
    reason: Reason = "",
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Ask what runs to stop; else it goes on.")
    ] = False,
    output: Output = Form.TABLE,
) -> None:
    """Remove each schedule of a deployment, its profile and its insights; its history stays."""
    from schemas.commands import RemoveSubject

    names = {"reason": "--reason"}
    send(checked_subject(subject), RemoveSubject(reason, cancel), output, names)


def read_deployment_file(path: Path) -> Deployment:
    """The deployment in a file; a sentence names the field at fault."""
    name, written = _mapping(path)
    return _read(written, name)


def _mapping(path: Path) -> tuple[str, dict[str, Any]]:
    from horae.cli.definition_files import documents

    name, found = documents(path)
    described = [one for one in found if one is not None]
    if len(described) != 1 or not isinstance(described[0], dict):
        raise Said(
            f"{name}: wanted is one mapping with vllm, http or container, and the other fields of "
            "a deployment"
        )
    return name, dict(described[0])


def _driver(vllm: str | None, container: str | None, *, labelled: bool) -> dict[str, Any]:
    if labelled and (vllm is not None or container is not None):
        raise Said("--labelled: not together with --vllm or --container", Ending.USAGE)
    if labelled:
        return {"container": True}
    if vllm is None:
        return {} if container is None else {"container": container}
    return {"vllm": vllm if container is None else {"url": vllm, "container": container}}


def _read(written: dict[str, Any], name: str) -> Deployment:
    from schemas.faults import FieldFault
    from schemas.reading_deployments import DRIVERS, read_deployment

    by_hand = name == "the options"
    if by_hand and not any(driver in written for driver in DRIVERS):
        raise Said("wanted is --vllm, --container, --labelled or a file (-f)", Ending.USAGE)
    try:
        return read_deployment(written)
    except FieldFault as fault:
        if by_hand:
            option = _OPTIONS.get(fault.field, fault.field)
            raise Said(f"{option}: {fault.message}", Ending.USAGE) from fault
        raise Said(f"{name}: {fault}") from fault
