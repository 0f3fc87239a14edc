"""Runs that are over are kept in the order of their ends, however many they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from schemas.run_events import RunStatus
from schemas.snapshot import Run, RunPhase
from streams.decider.ended import PAGE, SHORT, Ended


def run(number: int) -> Run:
    """One that ended at that time."""
    blank = Run(f"jr_{number:012d}", "shop/a", 1, 1, "shop", 0, 0, None, RunPhase.ENDED, number)
    return blank._replace(status=RunStatus.SUCCESS)


def runs(first: int, last: int) -> list[Run]:
    return [run(number) for number in range(first, last)]


@given(st.integers(0, 3 * PAGE), st.integers(0, 2 * PAGE), st.integers(0, 5 * PAGE))
def test_pages_hold_what_one_list_would(restored: int, more: int, gone: int) -> None:
    before = Ended.of(runs(0, restored))
    after = before
    for one in runs(restored, restored + more):
        after = after.and_then(one)
    left = after.without_first(gone)

    assert list(before.values()) == runs(0, restored)
    assert list(after.values()) == runs(0, restored + more)
    assert after.since(before) == runs(restored, restored + more)
    assert list(left.values()) == runs(0, restored + more)[gone:]
    assert after.until(gone - 1, 10 * PAGE) == runs(0, restored + more)[:gone]
    assert after.until(10 * PAGE, gone) == runs(0, restored + more)[:gone]
    assert (len(left), bool(left)) == (len(dict(left)), bool(dict(left)))
    assert all(left.get(one.id) == one for one in left.values())
    assert left.get("jr_unknown") is None


def test_one_more_copies_one_page_and_shares_the_others() -> None:
    before = Ended.of(runs(0, 3 * PAGE))

    after = before.and_then(run(3 * PAGE)).and_then(run(3 * PAGE + 1))

    shared = [one for one, other in zip(before._pages, after._pages, strict=False) if one is other]
    assert len(shared) == 3
    assert [len(page) for page in after._pages] == [PAGE, PAGE, PAGE, 2]


def test_pages_are_full_however_they_came_and_a_short_one_is_copied() -> None:
    known, copied = Ended(), 0
    for one in runs(0, 2 * PAGE + 1):
        after = known.and_then(one)
        kept = {id(page) for page in known._pages}
        copied += sum(len(page) for page in after._pages if id(page) not in kept)
        known = after

    assert [len(page) for page in known._pages] == [PAGE, PAGE, 1]
    assert copied < 2 * PAGE * 2 * SHORT


def test_nothing_new_is_found_without_a_look() -> None:
    assert Ended().since(Ended()) == []
    assert not Ended()
