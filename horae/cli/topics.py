"""
Are the topics there and set up as they must be?

`plan` shows what is to be done, `apply` does it, `check` fails if anything is. The table they are
held against is schemas/topics.py; the comparison is streams/topics_check.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.endings import CODES, Ending
from horae.cli.output import Form, Output, note, say, show_json, show_table

if TYPE_CHECKING:
    from streams.topics_check import TopicsOf
    from streams.topics_outlook import Outlook, Wishes

app = typer.Typer(no_args_is_help=True, help="Create and check the topics on Kafka.")

Partitions = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=1000,
        help="Partitions of every topic but horae.globals, fixed when they are created. "
        "Default: as the inbox has it, else 12.",
    ),
]
Replication = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Replicas. Default: as the inbox has it, else 1."),
]
MinInSync = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Replicas that must confirm. Default as above."),
]
EventsRetention = Annotated[
    int | None,
    typer.Option(
        metavar="DAYS", min=1, help="Days after which the ledger may forget. Default: never."
    ),
]


@app.command(epilog=f"Example: horae topics plan --partitions 24 --replication 3. {CODES}")
def plan(
    partitions: Partitions = None,
    replication: Replication = None,
    min_in_sync: MinInSync = None,
    events_retention_days: EventsRetention = None,
    output: Output = Form.TABLE,
) -> None:
    """Show what `apply` would do, and change nothing."""
    wishes = _wishes(partitions, replication, min_in_sync, events_retention_days)
    found = _topics().look(wishes)
    if output is Form.JSON:
        show_json(
            {
                "create": [_as_json(topic) for topic in found.missing],
                "change": [_difference(each) for each in found.drifted],
            }
        )
        return
    show_table(
        ["create", "partitions", "replicas", "settings"],
        [
            [topic.name, str(topic.partitions), str(topic.replication), _settings(topic.settings)]
            for topic in found.missing
        ],
        empty="no topic is missing",
    )
    if found.drifted:
        _show_differences(found, only_drifted=True)


@app.command(
    epilog=f"Example: horae topics apply --replication 3 --min-in-sync 2. {CODES}",
)
def apply(
    partitions: Partitions = None,
    replication: Replication = None,
    min_in_sync: MinInSync = None,
    events_retention_days: EventsRetention = None,
    output: Output = Form.TABLE,
) -> None:
    """
    Create what is missing and mend what can be mended.

    Partitions and replicas of a topic that is there are never touched: if they are not as they
    must be, this fails and names them.
    """
    from streams.topics_outlook import UNCHANGEABLE

    wishes = _wishes(partitions, replication, min_in_sync, events_retention_days)
    topics = _topics()
    before = topics.look(wishes)
    topics.create(before.missing)
    topics.mend(before.drifted)
    after = topics.look(wishes)
    if output is Form.JSON:
        show_json(
            {
                "created": [topic.name for topic in before.missing],
                "changed": [
                    _difference(each) for each in before.drifted if each.setting not in UNCHANGEABLE
                ],
                "left": [_difference(each) for each in after.differences],
            }
        )
    else:
        for topic in before.missing:
            say(f"created {topic.name}, {topic.partitions} partitions")
        for each in before.drifted:
            if each.setting not in UNCHANGEABLE:
                say(f"changed {each.topic}: {each.setting} from {each.actual} to {each.planned}")
        if not before.differences:
            say(f"all {len(after.planned)} topics are as they must be")
    _fail_on(after, output)


@app.command(epilog=f"Example: horae topics check. {CODES}")
def check(
    partitions: Partitions = None,
    replication: Replication = None,
    min_in_sync: MinInSync = None,
    events_retention_days: EventsRetention = None,
    output: Output = Form.TABLE,
) -> None:
    """Compare every topic with what it must be; end with 1 if one differs."""
    wishes = _wishes(partitions, replication, min_in_sync, events_retention_days)
    found = _topics().look(wishes)
    if output is Form.JSON:
        show_json([_difference(each) for each in found.differences])
    elif found.differences:
        _show_differences(found)
    else:
        say(
            f"all {len(found.planned)} topics are as they must be, with {found.partitions} "
            "partitions"
        )
    if found.differences:
        raise typer.Exit(Ending.REFUSED)


def _topics() -> TopicsOf:
    from horae.settings import load_settings
    from streams.topics_check import TopicsOf

    return TopicsOf(load_settings().bootstrap)


def _wishes(
    partitions: int | None,
    replication: int | None,
    min_in_sync: int | None,
    events_retention_days: int | None,
) -> Wishes:
    from streams.topics_outlook import Wishes

    return Wishes(
        partitions=partitions,
        replication=replication,
        min_in_sync=min_in_sync,
        events_retention_ms=events_retention_days and events_retention_days * 86_400_000,
    )


def _fail_on(found: Outlook, output: Form) -> None:
    if not found.differences:
        return
    if output is Form.TABLE:
        for each in found.differences:
            note(f"cannot be changed: {each.sentence()}")
    raise typer.Exit(Ending.REFUSED)


def _show_differences(found: Outlook, *, only_drifted: bool = False) -> None:
    show_table(
        ["topic", "setting", "is", "should be"],
        [
            [each.topic, each.setting, each.actual or "missing", each.planned]
            for each in (found.drifted if only_drifted else found.differences)
        ],
        empty="no topic differs",
    )


def _as_json(topic: Any) -> dict[str, Any]:
    return {
        "topic": topic.name,
        "partitions": topic.partitions,
        "replication": topic.replication,
        "settings": dict(topic.settings),
    }


def _difference(each: Any) -> dict[str, Any]:
    return {
        "topic": each.topic,
        "setting": each.setting,
        "is": each.actual,
        "should": each.planned,
    }


def _settings(settings: Any) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(settings.items()))
