"""
Which runs of a subject are over, as long as a report of them may still come?

In the order of their ends, and never changed in place. A subject may have a hundred thousand of
them in a day, and gets another with every end: so they lie in pages, the last of them a short one,
which alone is copied for one more. Once it is long enough it joins the page before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice, takewhile

from typing_extensions import override

from schemas.snapshot import Run

PAGE = 256
"""Runs in one page."""
SHORT = 16
"""So many make the last page long enough."""


class Ended(Mapping[str, Run]):
    """Runs that are over, by id, the first that ended first."""

    __slots__ = ("_pages",)

    def __init__(self, pages: tuple[dict[str, Run], ...] = ()) -> None:
        self._pages = pages

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Ended:
        """These, in their order."""
        pages: list[dict[str, Run]] = []
        for run in runs:
            if not pages or len(pages[-1]) >= PAGE:
                pages.append({})
            pages[-1][run.id] = run
        return cls(tuple(pages))

    def and_then(self, run: Run) -> Ended:
        """These, and one that ended after them."""
        pages = self._pages
        if pages and len(pages[-1]) < SHORT:
            return Ended((*pages[:-1], {**pages[-1], run.id: run}))
        if len(pages) > 1 and len(pages[-2]) + len(pages[-1]) <= PAGE:
            pages = (*pages[:-2], {**pages[-2], **pages[-1]})
        return Ended((*pages, {run.id: run}))

    def until(self, instant: int, most: int) -> list[Run]:
        """The first ones, as far as they ended no later than that, and no more than so many."""
        first = takewhile(lambda run: run.since <= instant, self.values_in_order())
        return list(islice(first, most))

    def without_first(self, many: int) -> Ended:
        """These without so many of those that ended first."""
        pages = self._pages
        while pages and many >= len(pages[0]):
            many -= len(pages[0])
            pages = pages[1:]
        if many and pages:
            pages = (dict(list(pages[0].items())[many:]), *pages[1:])
        return Ended(pages)

    def since(self, before: Ended) -> list[Run]:
        """Those that ended after what was known before, in their order."""
        if self is before:
            return []
        newest = chain.from_iterable(reversed(page.values()) for page in reversed(self._pages))
        return list(takewhile(lambda run: run.id not in before, newest))[::-1]

    def values_in_order(self) -> Iterator[Run]:
        """All of them, without a look-up for each."""
        return chain.from_iterable(page.values() for page in self._pages)

    @override
    def __getitem__(self, name: str) -> Run:
        for page in self._pages:
            if name in page:
                return page[name]
        raise KeyError(name)

    @override
    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._pages)

    @override
    def __len__(self) -> int:
        return sum(map(len, self._pages))

    def __bool__(self) -> bool:
        return bool(self._pages)
