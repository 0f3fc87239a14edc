"""
How is the interface over HTTP started, and who gets a token for it?

Settings come from the environment, options go before them. What is served is horae/api, what a
token may do horae/permissions.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, say, show_json, show_table
from horae.permissions import Ability

if TYPE_CHECKING:
    from horae.permissions import Keyring, Token

token_app = typer.Typer(no_args_is_help=True, help="Make, list and revoke tokens of the API.")
EPILOG = f"Example: horae api --port 18080. {CODES}"

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="Such as ci: orders are sent as token:ci.", show_default=False
    ),
]


def api(
    host: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Default: 127.0.0.1. Others need a token."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65_535, help="Default: 18080.")
    ] = None,
) -> None:
    """
    Serve schedules, runs and their history over HTTP, under /v1; described by /openapi.json.

    SIGTERM or Ctrl-C ends it in order. Settings: `horae config`.
    """
    from horae.api.serving import Exposed, serve
    from horae.api.settings import ApiSettings
    from horae.cli.roles import begin

    face = begin()
    given: dict[str, Any] = {"api_host": host, "api_port": port}
    settings = ApiSettings(**{name: each for name, each in given.items() if each is not None})
    try:
        serve(face, settings)
    except Exposed as fault:
        raise Said(str(fault), Ending.USAGE) from fault


@token_app.command(epilog=f"Example: horae token create ci --can read --can write. {CODES}")
def create(
    name: Name,
    can: Annotated[
        list[Ability],
        typer.Option(
            "--can",
            help="read: look at everything; write: change schedules; run: start and stop work; "
            "admin: all of that, and what concerns everybody. Repeatable.",
            show_default=False,
        ),
    ],
    output: Output = Form.TABLE,
) -> None:
    """Make a token and show its secret, which is not to be had a second time."""
    from horae.permissions import PermissionFault
    from streams.clock import SystemClock

    try:
        secret = _keyring().create(name, frozenset(can), SystemClock().wall())
    except PermissionFault as fault:
        raise Said(str(fault)) from fault
    if output is Form.JSON:
        show_json({"token": name, "abilities": sorted(can), "secret": secret})
    else:
        say(secret)


@token_app.command("list", epilog=f"Example: horae token list -o json. {CODES}")
def list_tokens(output: Output = Form.TABLE) -> None:
    """List the tokens; of their secrets only hashes are kept."""
    from horae.permissions import PermissionFault

    try:
        found = list(_keyring().tokens().values())
    except PermissionFault as fault:
        raise Said(str(fault)) from fault
    if output is Form.JSON:
        show_json([_as_json(token) for token in found])
        return
    rows = [[str(cell) for cell in _as_json(token).values()] for token in found]
    show_table(["token", "may", "created"], rows, empty="there is no token")


@token_app.command(epilog=f"Example: horae token revoke ci. {CODES}")
def revoke(name: Name) -> None:
    """Let nobody in with this token any more; a server that runs knows it at once."""
    from horae.permissions import PermissionFault

    try:
        _keyring().revoke(name)
    except PermissionFault as fault:
        raise Said(str(fault)) from fault
    say(f"{name} is revoked")


def _keyring() -> Keyring:
    from horae.api.settings import ApiSettings, tokens_file
    from horae.permissions import Keyring
    from horae.settings import load_settings

    return Keyring(tokens_file(ApiSettings(), load_settings().data))


def _as_json(token: Token) -> dict[str, Any]:
    from schemas.instants import format_instant

    return {
        "token": token.name,
        "abilities": ", ".join(sorted(token.abilities)),
        "created_at": format_instant(token.created_at),
    }
