"""How are the commands typed in tests? As whole programs, but put together once, not each time."""

from collections.abc import Iterator
from functools import cache
from unittest.mock import patch

import pytest
import typer.testing
from typer.main import get_command


@pytest.fixture(scope="session", autouse=True)
def _put_together_once() -> Iterator[None]:
    with patch.object(typer.testing, "_get_command", cache(get_command)):
        yield
