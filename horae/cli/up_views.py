"""
What does `horae up` do with the views that another release of Horae has left in its folder?

Nobody can ask for `horae rebuild` before broker and database run, and those that need the views
would not get ready. The views are made from the log alone, so they are built anew at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horae.cli.output import note
from horae.cli.progress import filling

if TYPE_CHECKING:
    from horae.local.stack import Endpoints, Progress
    from projections.rebuild import Rebuilt
    from projections.records import Sources


def prepare_views(endpoints: Endpoints, tell: Progress, sources: Sources | None = None) -> None:
    """Build the views anew if they are not laid out as this release reads them."""
    from pydantic import SecretStr

    from horae.local import Step
    from projections.rebuild import rebuild
    from projections.settings import ProjectorSettings
    from projections.versions import LAYOUT, connect, serving

    with connect(endpoints.dsn) as connection:
        found = serving(connection)
    if found is None or found.layout == LAYOUT:
        return
    tell(Step(f"Building the views anew: layout {found.layout} is that of another release"))
    # Nobody can read the old ones any more, so none is kept for the rows that only they have.
    with filling("Rebuilding the views") as told:
        done = rebuild(
            ProjectorSettings(bootstrap=endpoints.bootstrap, postgres_dsn=SecretStr(endpoints.dsn)),
            progress=lambda now: told(now.done, now.total),
            force=True,
            sources=sources,
        )
    lost = rows_lost(done)
    if lost:
        note(f"warning: the log goes back no further, so the views have fewer rows: {lost}")


def rows_lost(done: Rebuilt) -> str:
    """Of which tables there are fewer rows than before, and how many; empty: of none."""
    return ", ".join(
        f"{table} {done.counts.get(table, 0)} instead of {before}"
        for table, before in done.counts_before.items()
        if done.counts.get(table, 0) < before
    )
