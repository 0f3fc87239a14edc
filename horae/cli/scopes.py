"""
Which targets does a schedule have, and how does a person change them?

Each edit is one order; the next fire reads what it left. The list is read from the views in
Postgres, like every list.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import checked_id, send
from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, show_json, show_table
from horae.cli.views import views

if TYPE_CHECKING:
    from schemas.commands import ScopeEdit
    from schemas.policies import Scope

app = typer.Typer(no_args_is_help=True, help="The targets of a schedule.")

Schedule = Annotated[
    str,
    typer.Argument(
        metavar="SUBJECT/NAME", help="Its id, such as hall-3/firmware.", show_default=False
    ),
]
Targets = Annotated[
    list[str] | None,
    typer.Argument(metavar="TARGET...", help="Names such as rack-a.", show_default=False),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="TYPE",
        help="Of these targets only components of this type. Repeatable.",
        show_default=False,
    ),
]
Ids = Annotated[
    list[str] | None,
    typer.Option(
        "--id",
        metavar="ID",
        help="Of these targets only this component. Repeatable; not with --type.",
        show_default=False,
    ),
]
File = Annotated[
    Path | None,
    typer.Option(
        "--file",
        "-f",
        metavar="FILE",
        help="Instead: a list as in a definition, YAML or JSON; - for standard input.",
        show_default=False,
    ),
]
Reason = Annotated[
    str,
    typer.Option(
        "--reason", "-r", metavar="TEXT", help="Why; stands in the ledger beside your name."
    ),
]


@app.command(
    epilog="Example: horae schedule scopes add hall-3/firmware rack-b --type compute "
    f"-r 'new rack'. {CODES}"
)
def add(
    schedule: Schedule,
    targets: Targets = None,
    *,
    types: Types = None,
    ids: Ids = None,
    file: File = None,
    reason: Reason = "",
    output: Output = Form.TABLE,
) -> None:
    """Add targets, and widen the filters of those that are there."""
    from schemas.commands import ScopeEdit

    scopes = _wanted(targets, types, ids, file)
    _edit(schedule, ScopeEdit.ADD, scopes, reason, output)


@app.command(epilog=f"Example: horae schedule scopes update hall-3/firmware rack-a rack-c. {CODES}")
def update(
    schedule: Schedule,
    targets: Targets = None,
    *,
    types: Types = None,
    ids: Ids = None,
    file: File = None,
    reason: Reason = "",
    output: Output = Form.TABLE,
) -> None:
    """Let exactly these be the targets of a schedule."""
    from schemas.commands import ScopeEdit

    scopes = _wanted(targets, types, ids, file)
    _edit(schedule, ScopeEdit.UPDATE, scopes, reason, output)


@app.command(epilog=f"Example: horae schedule scopes remove hall-3/firmware rack-a. {CODES}")
def remove(
    schedule: Schedule,
    targets: Annotated[
        list[str], typer.Argument(metavar="TARGET...", help="Names.", show_default=False)
    ],
    reason: Reason = "",
    output: Output = Form.TABLE,
) -> None:
    """Take targets away from a schedule, but never the last one."""
    from schemas.commands import ScopeEdit

    _edit(schedule, ScopeEdit.REMOVE, _wanted(targets, None, None, None), reason, output)


@app.command("list", epilog=f"Example: horae schedule scopes list hall-3/firmware. {CODES}")
def list_scopes(schedule: Schedule, output: Output = Form.TABLE) -> None:
    """List the targets of a schedule, in the order in which they came."""
    from horae.cli.listing import removed
    from schemas.policies_json import scopes_json

    schedule = checked_id(schedule)
    with views() as reads:
        row = reads.schedule(schedule)
        if row is None:
            raise Said(f"{schedule}: the views know no such schedule{removed(reads, schedule)}")
    scopes = effective(schedule, row.rule.scopes)
    if output is Form.JSON:
        show_json({"schedule": schedule, "scopes": scopes_json(scopes)})
        return
    show_table(
        ["target", "only"],
        [[scope.target, _only(scope)] for scope in scopes],
        empty="it has no target left, and nothing of it runs",
    )


def effective(schedule: str, scopes: tuple[Scope, ...] | None) -> tuple[Scope, ...]:
    """The targets that are meant: where nothing is said, the subject itself."""
    from schemas.identity import subject_of
    from schemas.policies import Scope

    return (Scope(subject_of(schedule)),) if scopes is None else scopes


def _only(scope: Scope) -> str:
    if scope.filter is None:
        return "all of it"
    return f"{scope.filter.kind.value}: {', '.join(scope.filter.values)}"


def _edit(
    schedule: str, edit: ScopeEdit, scopes: tuple[Scope, ...], reason: str, output: Form
) -> None:
    from schemas.commands import EditScopes

    send(checked_id(schedule), EditScopes(edit, scopes, reason), output)


def _wanted(
    targets: list[str] | None, types: list[str] | None, ids: list[str] | None, file: Path | None
) -> tuple[Scope, ...]:
    """The scopes that options or a file name; a sentence if they cannot be meant."""
    from schemas.faults import FieldFault
    from schemas.reading_policies import read_scopes

    if file is not None and (targets or types or ids):
        raise Said("--file stands alone: not with TARGET, --type or --id", Ending.USAGE)
    if types and ids:
        raise Said("--id: not together with --type", Ending.USAGE)
    if file is None and not targets:
        raise Said("TARGET: name at least one, or give a --file", Ending.USAGE)
    only = {"types": types} if types else {"ids": ids} if ids else {}
    data = [{"target": target, **only} for target in targets or ()]
    try:
        return read_scopes(data if file is None else _listed(file), "scopes")
    except FieldFault as fault:
        raise Said(str(fault), Ending.USAGE) from fault


def _listed(file: Path) -> Any:
    """The list in a file."""
    from horae.cli.definition_files import documents

    name, found = documents(file)
    if len(found) != 1:
        raise Said(f"{name}: wanted is one list of targets")
    return found[0]
