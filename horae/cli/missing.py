"""
Is all there that schedules need to do their work?

A schedule may be defined before its topic, its pool, its deployment or the app of its subject is
there; but a misspelt name looks the same, so the command line says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from horae.cli.asking import went_well
from horae.cli.output import note, printable
from schemas.topics import ORDERS

if TYPE_CHECKING:
    from horae.client import ClientFault, Order
    from schemas.replies import Reply

_WITHIN = 5.0


def warn_of_missing_targets(
    orders: Sequence[Order],
    answers: Sequence[Reply | ClientFault],
    bootstrap: str | None = None,
) -> None:
    """A line for each topic of what was accepted that the broker does not show.

    The first runner of a pool makes the topic of its orders.
    """
    wanted: dict[str, list[str]] = {}
    for order, answer in zip(orders, answers, strict=True):
        definition = getattr(order.command, "definition", None)
        if definition is None or isinstance(answer, Exception) or not went_well(answer):
            continue
        work = definition.action.work
        if work is None or work.pool is not None:  # else its app says which pool it is
            wanted.setdefault(definition.action.topic, []).append(order.schedule)
    if not wanted:
        return
    bootstrap = bootstrap or _bootstrap()
    for topic in sorted(wanted.keys() - _topics(bootstrap, wanted)):
        [first, *others] = wanted[topic]
        more = f" and {len(others)} more" if others else ""
        what = f"topic {topic!r} does not exist at {bootstrap}"
        if topic.startswith(ORDERS):
            what = f"pool {topic.removeprefix(ORDERS)!r} never had a runner at {bootstrap}"
        note(f"warning: {what}: {printable(first)}{more} cannot fire before it does")


def warn_of_missing_apps(
    orders: Sequence[Order],
    answers: Sequence[Reply | ClientFault],
    bootstrap: str | None = None,
) -> None:
    """A line for each subject that has work in containers, and no app that describes them."""
    from schemas.actions import Exec, Fresh
    from schemas.identity import subject_of

    subjects = {
        subject_of(order.schedule)
        for order, answer in zip(orders, answers, strict=True)
        if (definition := getattr(order.command, "definition", None)) is not None
        and isinstance(definition.action.work, Exec | Fresh)
        and not isinstance(answer, Exception)
        and went_well(answer)
    }
    if not subjects:
        return
    for subject in sorted(subjects - _with_app(bootstrap or _bootstrap(), subjects)):
        name = printable(subject)
        note(
            f"warning: {name} has no app: its `exec` and `fresh` cannot be done before "
            f"`horae subject app {name} -f FILE`"
        )


def warn_of_missing_deployments(
    orders: Sequence[Order],
    answers: Sequence[Reply | ClientFault],
    bootstrap: str | None = None,
) -> None:
    """A line for each subject that is to sleep or wake by a schedule, and is no deployment."""
    from schemas.actions import Act
    from schemas.identity import subject_of

    subjects = {
        subject_of(order.schedule)
        for order, answer in zip(orders, answers, strict=True)
        if (definition := getattr(order.command, "definition", None)) is not None
        and isinstance(definition.action.work, Act)
        and not isinstance(answer, Exception)
        and went_well(answer)
    }
    warn_of_unregistered(subjects, bootstrap)


def warn_of_unregistered(subjects: set[str], bootstrap: str | None = None) -> None:
    """A line for each of them that is no deployment."""
    if not subjects:
        return
    for subject in sorted(subjects - _registered(bootstrap or _bootstrap(), subjects)):
        name = printable(subject)
        note(
            f"warning: no deployment {name} is registered: nothing makes it sleep or wake before "
            f"`horae deployment register {name}`"
        )


def _registered(bootstrap: str, subjects: Iterable[str]) -> set[str]:
    from horae.past import Past
    from horae.under_way import find_under_way

    with Past(bootstrap) as past:
        return {one for one in subjects if find_under_way(past, one).notes.deployment is not None}


def _with_app(bootstrap: str, subjects: Iterable[str]) -> set[str]:
    from horae.past import Past
    from horae.under_way import find_under_way

    with Past(bootstrap) as past:
        return {one for one in subjects if find_under_way(past, one).notes.app is not None}


def _bootstrap() -> str:
    from horae.settings import load_settings

    return load_settings().bootstrap


def _topics(bootstrap: str, wanted: Iterable[str]) -> set[str]:
    from streams.topics_check import TopicsFault, TopicsOf

    try:
        return TopicsOf(bootstrap).names(_WITHIN)
    except TopicsFault:
        return set(wanted)  # it is not known, so nothing is said
