"""
How does a command read a file that it was given?

The bytes of a file, or of standard input for `-`; one that cannot be read by its name is wrong
usage. What stands in it is each command's own affair.
"""

from __future__ import annotations

import sys
from pathlib import Path

from horae.cli.endings import Ending, Said

STDIN = Path("-")


def input_bytes(path: Path) -> bytes:
    """All of a file; a sentence that names it if it is not there or is a folder."""
    if path == STDIN:
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as fault:
        raise Said(f"{path}: {fault.strerror}", Ending.USAGE) from fault


def input_name(path: Path) -> Path:
    """What the file is called in reports and in names made from it."""
    return Path("stdin") if path == STDIN else path
