"""
What was a minute like, going by what was seen in it?

A pure function of the set of its samples: the same ones, in whatever order and how often they come,
give the same minute. Where they come from is worker.py, what a sampler sees is looks.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from schemas.traffic import MinuteKind, Sample, TrafficMinute
from schemas.units import MINUTE, SECOND

MOST_SAMPLES = 600
"""Of one minute: with ten a second all is known, and its record stays small enough to be sent."""
_MOST = (1 << 63) - 1
"""What claims more is no measurement, and must not keep a record from being written."""
_THOUSANDTHS = 1_000


def minute_at(instant: int) -> int:
    """The beginning of the minute in which an instant lies."""
    return instant // MINUTE * MINUTE


def merged(known: tuple[Sample, ...], more: Iterable[Sample]) -> tuple[Sample, ...]:
    """All of both in the order of their instants; of one instant what is known already stays.

    The very same object if nothing is new.
    """
    more = tuple(more)
    if len(more) == 1 and known and known[-1].sampled_at < more[0].sampled_at:  # as they come
        return known + more if len(known) < MOST_SAMPLES else known
    found = {sample.sampled_at: sample for sample in known}
    size = len(found)
    for sample in more:
        if len(found) >= MOST_SAMPLES:
            break
        found.setdefault(sample.sampled_at, sample)
    if len(found) == size == len(known):
        return known
    return tuple(found[instant] for instant in sorted(found))


def minute_of(samples: Iterable[Sample]) -> TrafficMinute:
    """Put the samples of one minute together, of which there must be at least one."""
    seen = merged((), samples)
    finished = _sum_of_known(sample.finished for sample in seen)
    kind = _kind(seen)
    return TrafficMinute(
        minute=minute_at(seen[0].sampled_at),
        kind=kind,
        rate=0 if kind is MinuteKind.IDLE else _rate(seen, finished),
        in_flight=min(sum(sample.in_flight for sample in seen), _MOST),
        waiting=min(sum(sample.waiting for sample in seen), _MOST),
        finished=finished,
        micros=_sum_of_known(sample.micros for sample in seen),
        samples=seen,
    )


def _kind(seen: tuple[Sample, ...]) -> MinuteKind:
    if any(sample.in_flight or sample.waiting or sample.finished for sample in seen):
        return MinuteKind.ACTIVE
    # Between two looks one may have come and gone, unless those that ended are counted.
    counted = all(sample.finished is not None for sample in seen)
    return MinuteKind.IDLE if counted else MinuteKind.UNKNOWN


def _rate(seen: tuple[Sample, ...], finished: int | None) -> int | None:
    """Thousandths of a request a minute; None where it cannot be told."""
    in_flight = sum(sample.in_flight for sample in seen)
    if not in_flight:  # all of them were over before anybody looked: those are all there were
        return min(finished * _THOUSANDTHS, _MOST) if finished else None
    # Little's law: so many at once, and each stays for so long. Its length is that of the requests
    # whose number and time are both known.
    ended, micros = 0, 0
    for number, took in _timed(seen):
        ended, micros = ended + number, micros + took
    if not ended or not micros:
        return None
    rate = in_flight * ended * 60 * SECOND * _THOUSANDTHS // (len(seen) * micros)
    return min(rate, _MOST)


def _timed(seen: tuple[Sample, ...]) -> Iterator[tuple[int, int]]:
    for sample in seen:
        if sample.finished is not None and sample.micros is not None:
            yield sample.finished, sample.micros


def _sum_of_known(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return min(sum(known), _MOST) if known else None
