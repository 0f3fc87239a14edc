"""Does a worker make the folder of Faust's where it may write, and not where it was started?"""

from __future__ import annotations

from pathlib import Path

from streams.traffic.settings import TrafficSettings
from streams.traffic.worker import worker_app


def test_the_folder_of_faust_lies_beside_the_locks(tmp_path: Path) -> None:
    app = worker_app(TrafficSettings(locks=tmp_path), "here-1")

    assert app.conf.datadir == tmp_path / "faust"
    assert app.conf.tabledir.is_relative_to(tmp_path)
