"""
Is a freeze that makes no sense refused by its option, before anything is sent?

Adding and lifting on a real broker is test_calendars_on_broker.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from horae.cli.freezes import _read, _state
from schemas.globals import Freeze
from schemas.instants import parse_instant
from tests.face.typed import run

HOUR = 3_600_000_000


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_BOOTSTRAP", "127.0.0.1:1")
    monkeypatch.setenv("HORAE_REPLY_WITHIN", "0.3")


FROM = ("--from", "2026-12-23T00:00:00Z")
USAGE = {
    "nobody": (("x", "--to", "2h"), "--subject"),
    "no end": (("x", "--subject", "a"), "--to"),
    "an end that is no instant": (("x", "--subject", "a", "--to", "later"), "--to: "),
    "a beginning that is none": (("x", "--subject", "a", "--from", "1", "--to", "2h"), "--from: "),
    "an end before the beginning": (
        ("x", "--subject", "a", *FROM, "--to", "2026-12-22T00:00:00Z"),
        "--to: must be later than --from",
    ),
    "an id where a subject is wanted": (
        ("x", "--subject", "a/b", "--to", "2h"),
        "--subject: a subject is what stands before",
    ),
    "a reason without an end": (
        ("x", "--subject", "a", "--to", "2h", "-r", "y" * 5_000),
        "--reason: has 4096 bytes at most",
    ),
    "a name that is none": (("a/b", "--subject", "a", "--to", "2h"), "NAME: a name is printable"),
}


@pytest.mark.parametrize(("arguments", "said"), USAGE.values(), ids=USAGE.keys())
def test_wrong_usage_is_named_and_ends_with_2(arguments: tuple[str, ...], said: str) -> None:
    code, out, err = run("freeze", "add", *arguments)

    assert (code, out) == (2, "")
    assert said in err


def test_a_length_of_time_is_counted_from_the_beginning() -> None:
    freeze = _read(["a*"], FROM[1], "2h", "why")

    begin = parse_instant(FROM[1])
    assert freeze == Freeze(("a*",), begin, begin + 2 * HOUR, "why")


def test_a_freeze_is_to_come_in_force_and_over() -> None:
    freeze = Freeze(("*",), 10, 20)

    assert [_state(freeze, at) for at in (9, 10, 19, 20)] == [
        *("to come", "in force", "in force", "over"),
    ]


def test_no_broker_is_one_sentence_and_3() -> None:
    for arguments in (("list",), ("lift", "x"), ("add", "x", "--subject", "*", "--to", "2h")):
        code, out, err = run("freeze", *arguments)

        assert (code, out) == (3, "")
        assert len(err.splitlines()) == 1
