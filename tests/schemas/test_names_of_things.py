"""Ids are canonical, and every client finds the same partition for a subject."""

from __future__ import annotations

import pytest

from schemas.identity import (
    IdFault,
    is_subject,
    occurrence_id,
    partition_of,
    range_id,
    run_id,
    schedule_id,
    subject_id,
    subject_of,
)

NEW_YEAR = 1_798_761_600_000_000


@pytest.mark.parametrize(
    ("subject", "partition"),
    [
        ("job-1", 2),
        ("job-2", 0),
        ("job-3", 0),
        ("nightly-report", 3),
        ("schedule:42", 1),
    ],
)
def test_a_subject_lives_where_kafkas_own_clients_put_it(subject: str, partition: int) -> None:
    """KAF-025."""
    assert partition_of(subject, 6) == partition


@pytest.mark.parametrize("length", range(1, 9))
def test_subjects_of_any_length_have_a_partition(length: int) -> None:
    assert 0 <= partition_of("ä" * length, 12) < 12


@pytest.mark.parametrize(
    ("text", "canonical"), [("a/b", "a/b"), ("nightly", "nightly/nightly"), ("a/b/c", "a/b/c")]
)
def test_an_id_is_a_subject_and_a_name(text: str, canonical: str) -> None:
    assert schedule_id(text) == canonical
    assert subject_of(canonical) == canonical.partition("/")[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "/b",
        "a/",
        "a#b",
        "a/b@c",
        "a~1",
        "a|b",
        "a\n",
        "\x85",
        "\ud800",
        "ä" * 201,
    ],
)
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(IdFault):
        schedule_id(text)


@pytest.mark.parametrize("text", ["a", "a/"])
def test_a_subject_as_a_whole_has_no_name_behind_its_slash(text: str) -> None:
    found = subject_id(text)

    assert (found, subject_of(found)) == ("a/", "a")
    assert is_subject(found)
    assert not any(is_subject(schedule) for schedule in ("a/b", "a/b/", "a/a"))


@pytest.mark.parametrize("text", ["", "/", "/b", "a/b", "a//", "a#", "a~/", "ä" * 200])
def test_what_is_no_subject_is_refused(text: str) -> None:
    with pytest.raises(IdFault):
        subject_id(text)


def test_occurrences_and_runs_are_named_after_their_instants() -> None:
    occurrence = occurrence_id("a/b", 7, NEW_YEAR)

    assert occurrence == "a/b~7@2027-01-01T00:00:00Z"
    assert occurrence_id("a/b", 7, NEW_YEAR, "trigger:x.9") == "a/b~7@trigger:x.9"
    assert range_id("a/b", 7, NEW_YEAR, NEW_YEAR + 1) == (
        "a/b~7@2027-01-01T00:00:00Z/2027-01-01T00:00:00.000001Z"
    )
    assert run_id(occurrence, "s") == run_id(occurrence, "s") != run_id(occurrence, "t")
    assert len(run_id(occurrence, "s")) == len("jr_") + 12
