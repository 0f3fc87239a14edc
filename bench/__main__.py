"""
Which benches are there, and what do they say?

`python -m bench [name …]` runs them one after the other, each in a process of its own, prints its
table, keeps the result and renders docs/reference/benchmarks.md. `--list` only names them,
`--render` only renders what is kept, `--dry` keeps nothing.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from bench.page import table, write_page
from bench.rows import Result, Row, machine, read_results
from streams.clock import SystemClock


def benches() -> dict[str, str]:
    """Every module here that has `run`, with the question it opens with."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        tree = ast.parse(path.read_text())
        if any(isinstance(each, ast.FunctionDef) and each.name == "run" for each in tree.body):
            found[path.stem] = (ast.get_docstring(tree) or "").partition("\n\n")[0]
    return found


def measure(name: str, *, keep: bool) -> None:
    """Run one bench here and now."""
    run: Callable[[], list[Row]] = import_module(f"bench.{name}").run
    today = datetime.fromtimestamp(SystemClock().wall() / 1_000_000, UTC).date().isoformat()
    result = Result(name, today, machine(), run())
    print(table(result.rows), flush=True)
    if keep:
        result.write()


def run_all(names: list[str], *, keep: bool) -> int:
    """Run each in a process of its own, so that none inherits another's memory; how many failed."""
    failed = 0
    for name in names:
        print(f"\n{name}: {benches()[name]}\n", flush=True)
        options = [] if keep else ["--dry"]
        done = subprocess.run(
            [sys.executable, "-m", "bench", name, "--here", *options], check=False
        )
        failed += done.returncode != 0
    if keep:
        write_page(read_results())
    return failed


def main() -> int:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help="default: all")
    parser.add_argument("--list", action="store_true", help="name the benches and end")
    parser.add_argument("--render", action="store_true", help="render the page anew and end")
    parser.add_argument("--dry", action="store_true", help="keep nothing")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    known = benches()
    if unknown := [name for name in asked.names if name not in known]:
        parser.error(f"no such bench: {', '.join(unknown)}; there are {', '.join(known)}")
    if asked.list:
        print("\n".join(f"{name:12} {question}" for name, question in known.items()))
        return 0
    if asked.render:
        write_page(read_results())
        return 0
    if asked.here:
        for name in asked.names:
            measure(name, keep=not asked.dry)
        return 0
    return run_all(asked.names or list(known), keep=not asked.dry)


if __name__ == "__main__":
    sys.exit(main())
