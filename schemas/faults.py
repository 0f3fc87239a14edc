"""
What can be wrong with a message?

* MessageFault
  + Unreadable    nobody can say what was meant: park the bytes and go on
  + FieldFault    what was meant is clear, but a field is wrong: refuse it by name
    - TooLarge    it is only too much of it
  + Unwritable    our own code built a message that its schema does not allow

Ids that are not allowed are an IdFault (identity.py); whether a rule makes sense is asked of
streams/calendar.
"""

from __future__ import annotations

LONGEST_TEXT = 1_000
"""Characters of what is said about a field: it may quote what somebody else wrote."""


class MessageFault(ValueError):
    """A message is not what the contract says."""


class Unreadable(MessageFault):
    """Bytes that are no message of ours, with the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class FieldFault(MessageFault):
    """A field of a readable message holds something that is not allowed."""

    def __init__(self, field: str, message: str) -> None:
        field, message = field[:LONGEST_TEXT], message[:LONGEST_TEXT]
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        """The path of the field, such as `timings[1].cron`; empty: the message as a whole."""
        self.message = message


class TooLarge(FieldFault):
    """More bytes than the topics hold together with what goes with them."""


class Unwritable(MessageFault):
    """A value that its schema does not allow; a mistake in the code that built it."""
