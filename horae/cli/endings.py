"""
How does a command end: with which exit code, and with which sentence?

Every fault that a person can run into becomes one sentence on standard error and one of four codes.
Nothing here imports what a command does not need: a fault's own module is loaded by then.
"""

from __future__ import annotations

import os
import sys
import traceback
from enum import IntEnum
from typing import Any

import typer
from typer.core import TyperGroup
from typing_extensions import override


class Ending(IntEnum):
    """Exit codes, the same for every command."""

    DONE = 0
    REFUSED = 1
    """Refused by the scheduler, or failed."""
    USAGE = 2
    """The command line itself makes no sense."""
    UNREACHABLE = 3
    """No broker, no database, or nobody who answered."""
    INTERRUPTED = 130


_NOISE = "Value error, "
"""What a validator puts before its sentence about a value."""

CODES = "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 broker, database or processor not reached."  # noqa: E501
"""Stands under the help of every command."""


class Said(Exception):
    """A sentence for the person at the keyboard, and the code to end with."""

    def __init__(self, sentence: str, ending: Ending = Ending.REFUSED) -> None:
        super().__init__(sentence)
        self.ending = ending


# Faults by name, since importing their classes would load a broker's or a database's library into
# commands that need neither.
_UNREACHABLE = frozenset(
    {
        "horae.client.faults.NotReachable",
        "horae.client.faults.NoTopic",
        "horae.client.faults.NotSent",
        "horae.client.faults.NoReply",
        "streams.topics_outlook.NoBroker",
        "projections.faults.NotBuilt",
        "projections.faults.Transient",
    }
)
_EXPLAIN_THEMSELVES = frozenset(
    {
        "horae.local.faults.LocalFault",
        "projections.faults.ProjectionFault",
        "schemas.faults.MessageFault",
        "schemas.identity.IdFault",
        "streams.calendar.refusals.TimingRefused",
        "streams.topics_outlook.TopicsFault",
        "streams.faults.ProcessorFault",
    }
)


_USAGE = frozenset({"horae.settings.BadSettings", "pydantic_core._pydantic_core.ValidationError"})


def ending_of(fault: Exception) -> tuple[str, Ending]:
    """The sentence and the code for a fault."""
    if isinstance(fault, Said):
        return str(fault), fault.ending
    kinds = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(fault).__mro__}
    if kinds & _UNREACHABLE:
        return _one_line(fault), Ending.UNREACHABLE
    if kinds & _USAGE:
        return _of_settings(fault), Ending.USAGE
    if kinds & _EXPLAIN_THEMSELVES:
        return _one_line(fault), Ending.REFUSED
    if isinstance(fault, OSError):
        return _of_the_system(fault), Ending.REFUSED
    hint = "" if _wants_traceback() else " (HORAE_TRACEBACK=1 shows where)"
    return f"unexpected {type(fault).__name__}: {_one_line(fault)}{hint}", Ending.REFUSED


def _of_settings(fault: Exception) -> str:
    from pydantic import ValidationError

    from horae.settings import what_is_wrong

    return what_is_wrong(fault) if isinstance(fault, ValidationError) else _one_line(fault)


def _of_the_system(fault: OSError) -> str:
    what = fault.strerror or _one_line(fault)
    return f"{fault.filename}: {what}" if fault.filename else what


def _one_line(fault: Exception) -> str:
    return " ".join(str(fault).split()) or type(fault).__name__


def _wants_traceback() -> bool:
    return bool(os.environ.get("HORAE_TRACEBACK"))


class Faces(TyperGroup):
    """The root of all commands: what they raise ends here."""

    @override
    def invoke(self, ctx: Any) -> Any:
        """Run the command; turn what goes wrong into a sentence and a code."""
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort):
            raise
        except typer.TyperException as fault:
            fault.message = fault.message.replace(_NOISE, "")
            raise
        except BrokenPipeError:
            # Whoever read our output has seen enough; Python must not complain at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(Ending.DONE) from None
        except KeyboardInterrupt:
            raise typer.Exit(Ending.INTERRUPTED) from None
        except Exception as fault:
            if _wants_traceback():
                traceback.print_exc()
            sentence, ending = ending_of(fault)
            typer.echo(f"horae: {sentence}", err=True)
            raise typer.Exit(ending) from fault
