"""
What is said when a timing makes no sense?

One exception with the field and a sentence that names the value and what is allowed. Who shows it
to whom is left to the faces; nothing else in this folder raises on input.
"""

from __future__ import annotations


class TimingRefused(ValueError):
    """The timing is refused at the door; `field` is the path inside the definition."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message

    def under(self, prefix: str) -> TimingRefused:
        """The same refusal for a timing that is one of several."""
        return TimingRefused(f"{prefix}{self.field}", self.message)


def quoted(text: str, limit: int = 60) -> str:
    """The text as it may stand in a message: printable ASCII, never long."""
    shown = ascii(text)
    return shown if len(shown) <= limit else shown[: limit - 4] + "...'"
