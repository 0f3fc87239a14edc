"""
Where is the SQL?

In sql/*.sql: each statement there has a name and one sentence, and is handed out here by its name.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import LiteralString

FOLDER = Path(__file__).with_name("sql")
_MARK = "-- name: "


def statement(name: str) -> LiteralString:
    """The statement of that name."""
    return _statements()[name]


@cache
def _statements() -> dict[str, LiteralString]:
    # our own files and never anybody's input, which is what LiteralString promises
    found: dict[str, LiteralString] = {}
    for path in sorted(FOLDER.glob("*.sql")):
        for part in path.read_text().split(_MARK)[1:]:
            name, _, text = part.partition("\n")
            if name in found:
                raise ValueError(f"{path.name}: a second statement is called {name}")
            found[name] = text.strip().removesuffix(";")
    return found
