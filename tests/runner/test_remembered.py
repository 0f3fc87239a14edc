"""What a runner that was killed has left behind is ended by its next life, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.runner.remembered import Remembered, started_at
from tests.processor.cluster import await_that
from tests.runner.ordered import program
from tests.runner.processes import marked
from tests.runner.programs import Runs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are run on Linux only")
CRASHED = "jr_ofACrash000"


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    found = Runs(tmp_path)
    yield found
    assert list((tmp_path / "runs").iterdir()) == []


def test_what_an_earlier_life_has_left_is_ended(tmp_path: Path) -> None:
    """AJ-045, of programs: the whole group goes, and also what went into a session of its own."""
    text = (
        "import os, sys; sys.path.insert(0, '.')\n"
        "from tests.runner.programs import Runs, script\n"
        "from pathlib import Path\n"
        f"Runs(Path({str(tmp_path)!r}), {CRASHED!r}).run("
        "script('setsid sleep 100 & sleep 100 & echo; sleep 100'))\n"
    )
    life = subprocess.Popen([sys.executable, "-c", text], cwd=Path(__file__).parents[2])
    # Shell, three sleeps.
    await_that(lambda: len(marked(CRASHED)) == 4, "all of it runs")
    life.kill()
    life.wait()
    assert len(marked(CRASHED)) == 4

    assert Remembered(tmp_path).sweep() == 1

    await_that(lambda: marked(CRASHED) == [], "nothing of it is left")
    assert Remembered(tmp_path).sweep() == 0


def test_a_process_that_has_got_the_same_number_since_is_left_alone(tmp_path: Path) -> None:
    other = subprocess.Popen(["sleep", "100"], start_new_session=True)
    remembered = Remembered(tmp_path)
    begun = remembered.begin("jr_BBBBBBBBBBBB", 1, 1)
    remembered.started(begun, other.pid)
    begun.file.write_text(begun.file.read_text().replace(str(started_at(other.pid)), "1"))

    assert remembered.sweep() == 1

    assert other.poll() is None
    other.kill()
    other.wait()


def test_a_file_that_was_half_written_ends_nobody(tmp_path: Path) -> None:
    remembered = Remembered(tmp_path)
    begun = remembered.begin("../../jr", 1, 1)
    assert begun.file.parent == tmp_path / "runs"
    begun.file.write_text('{"pid": 1, "si')

    assert remembered.sweep() == 1
    assert remembered.sweep() == 0


def test_a_run_that_ended_leaves_nothing_to_be_swept(runs: Runs, tmp_path: Path) -> None:
    runs.run(program("true"))
    runs.run(program("no-such-program"))

    assert Remembered(tmp_path).sweep() == 0
