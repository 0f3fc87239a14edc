"""
How does a person see that something long goes on?

Turns the stack's steps into lines and one bar on a terminal; into plain lines elsewhere.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from horae.local.stack import Progress as Told
from horae.local.stack import Step


@contextmanager
def shown(console: Console) -> Iterator[Told]:
    """Show the steps told to the result, until the block ends."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bars: dict[str, int] = {}
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:

        def tell(step: Step) -> None:
            if not step.of:
                progress.console.print(step.text, highlight=False, markup=False)
                return
            if step.text not in bars:
                bars[step.text] = progress.add_task(step.text, total=step.of)
                progress.console.print(f"{step.text} ({step.of} files)", highlight=False)
            progress.update(progress.task_ids[bars[step.text]], completed=step.done)

        yield tell
