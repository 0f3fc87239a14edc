"""Does `horae up` say at once that it was asked to stop, whatever it is doing?"""

from __future__ import annotations

import signal

import pytest

from horae.cli.up import _stopping_in_order


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_says_so_at_once_and_again_when_it_has_stopped(
    asked: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(asked)
    said_before_the_end = ""

    with _stopping_in_order():
        try:
            signal.raise_signal(asked)
        finally:
            said_before_the_end = capsys.readouterr().out

    assert said_before_the_end == "Stopping\n"
    assert capsys.readouterr().out == "Stopped\n"
    assert signal.getsignal(asked) is before
