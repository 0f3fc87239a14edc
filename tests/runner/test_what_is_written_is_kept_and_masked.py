"""The end of what a run writes is kept as text, and no secret is in it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.runner.masking import Masker, masked
from streams.runner.output import PIECE, Kept, Output


def written(*data: bytes, most: int = 100, secrets: tuple[str, ...] = ()) -> Output:
    output = Output(most, secrets)
    for each in data:
        output.write(each)
    output.end()
    return output


def covered(text: bytes, secrets: set[bytes]) -> list[bool]:
    """Which bytes belong to a value, found by looking at every place."""
    found = [False] * len(text)
    for secret in secrets:
        for at in range(len(text) - len(secret) + 1):
            if text[at : at + len(secret)] == secret:
                found[at : at + len(secret)] = [True] * len(secret)
    return found


@given(
    st.lists(st.text("abx", max_size=6), max_size=8),
    st.sets(st.text("ab", min_size=1, max_size=5), max_size=3),
)
def test_a_value_is_masked_however_its_pieces_are_cut(pieces: list[str], secrets: set[str]) -> None:
    """AJ-029: exactly the bytes of values are missing, whatever comes in which piece."""
    masker = Masker(secrets)
    shown = b"".join(masker.feed(piece.encode()) for piece in pieces)
    shown += masker.feed(b"", last=True)

    text = "".join(pieces).encode()
    hidden = covered(text, {secret.encode() for secret in secrets})
    assert shown.replace(b"***", b"") == bytes(
        byte for byte, is_hidden in zip(text, hidden, strict=True) if not is_hidden
    )
    assert (b"***" in shown) is any(hidden)


def test_a_value_that_is_the_beginning_of_another_does_not_give_the_rest_away() -> None:
    assert masked("abcdef", ["abc", "abcdef"]) == "***"
    output = written(b"abc", b"def", secrets=("abc", "abcdef"))
    assert output.kept().text == "***"


def test_the_end_of_a_value_that_may_begin_another_is_not_given_away() -> None:
    one_by_one = [bytes([byte]) for byte in b"my hunter2, here"]
    output = written(*one_by_one, secrets=("my hunter", "hunter22"))

    assert output.kept().text == "***2, here"


def test_each_line_of_a_value_of_several_lines_is_masked() -> None:
    """AJ-029."""
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nend\n"

    assert masked("it is MIIEvQIBADANBg, the end", [key]) == "it is ***, the end"


def test_what_waits_for_its_other_half_is_shown_at_the_end() -> None:
    assert written(b"the pass", secrets=("password",)).kept().text == "the pass"


def test_an_empty_value_is_no_secret() -> None:
    assert masked("as it was", ["", "\n"]) == "as it was"


@pytest.mark.parametrize(
    ("data", "most", "kept"),
    [
        (b"", 10, Kept("", cut=False)),
        (b"0123456789", 10, Kept("0123456789", cut=False)),
        (b"0123456789a", 10, Kept("123456789a", cut=True)),
        (b"a\0b", 10, Kept("a\ufffdb", cut=False)),
        (b"\xff\xfe", 10, Kept("\ufffd\ufffd", cut=False)),
        ("äöü".encode(), 5, Kept("öü", cut=True)),
        (b"\xff" * 10, 10, Kept("\ufffd" * 3, cut=True)),
        ("\ud800".encode("utf-8", "surrogatepass"), 30, Kept("\ufffd" * 3, cut=False)),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_kept_is_text_that_every_store_can_hold(data: bytes, most: int, kept: Kept) -> None:
    assert written(data, most=most).kept() == kept


@given(st.lists(st.binary(max_size=200), max_size=30), st.integers(1, 64))
def test_what_is_kept_is_never_more_than_asked_for(pieces: list[bytes], most: int) -> None:
    kept = written(*pieces, most=most).kept()

    assert len(kept.text.encode()) <= most
    assert "\0" not in kept.text
    json.loads(json.dumps(kept.text)).encode()
    assert kept.cut or len(b"".join(pieces)) <= most


def test_fifty_megabytes_leave_their_end() -> None:
    """ANC-16."""
    output = Output(64 * 1024)
    for number in range(50 * 16):
        output.write(b"%d" % (number % 10) * 65_536)
    output.write(b"the end\n")
    output.end()

    kept = output.kept()
    assert kept.cut
    assert kept.text.endswith("the end\n")
    assert len(kept.text) == 64 * 1024


def test_pieces_are_numbered_and_a_gap_says_that_something_was_left_out() -> None:
    output = Output(100)
    output.write(b"one")
    first = output.piece()
    nothing = output.piece()
    output.write("ü".encode()[:1])
    half = output.piece()
    output.write("ü".encode()[1:])
    second = output.piece()
    output.write(b"x" * (PIECE + 1))
    output.write(b"x" * PIECE)
    third = output.piece()

    assert first == (0, "one")
    assert nothing is None
    assert half is None
    assert second == (1, "ü")
    assert third == (3, "x" * PIECE)


def test_pieces_hold_no_secret() -> None:
    """AJ-029."""
    output = Output(100, ["hunter2"])
    output.write(b"it is hunt")
    first = output.piece()
    output.write(b"er2.")

    assert first == (0, "it is ")
    assert output.piece() == (1, "***.")
