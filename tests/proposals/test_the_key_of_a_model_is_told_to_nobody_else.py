"""Is the key of the model in none of the words that a proposal, a log or a person gets to see?"""

from __future__ import annotations

import pytest

from horae.proposing.endpoint import Endpoint, NotReady
from tests.proposals.played_endpoint import Said, completion, playing

KEY = "sk-0123456789"


def asked(url: str, key: str) -> str:
    """What is said of the model once it was asked."""
    with Endpoint(url, "judge", key, 5.0) as model:
        try:
            return model.ask([{"role": "user", "content": "well?"}]).content
        except NotReady as fault:
            return f"{fault}{fault.__cause__ or ''}"


@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY}\r\n"])
def test_a_line_end_of_a_file_is_no_part_of_it(key: str) -> None:
    with playing(completion("yes")) as played:
        assert asked(played.url, key) == "yes"

    assert played.keys == [f"Bearer {KEY}"]


def test_a_key_that_no_header_can_hold_is_not_repeated() -> None:
    with playing(completion("yes")) as played:
        said = asked(played.url, f"{KEY}\nX-Other: 1")

    assert said == "not asked: no header can hold HORAE_MODEL_KEY"
    assert played.asked == []


def test_a_key_of_other_letters_ends_nothing() -> None:
    with playing(completion("yes")) as played:
        assert asked(played.url, "ключ") == "yes"


@pytest.mark.parametrize("before", ["wrong key ", "x" * 195], ids=["whole", "where it is cut"])
def test_an_answer_that_repeats_it_is_shown_without_it(before: str) -> None:
    with playing(Said(f"{before}{KEY}, sorry".encode(), status=401)) as played:
        said = asked(played.url, KEY)

    assert said.startswith(f"answered 401 {before}***")
    assert KEY[:3] not in said
