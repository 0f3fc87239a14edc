"""
What can go wrong between a sender and the processor, and what may have happened?

* ClientFault
  + NotReachable   nothing was sent: the broker did not answer
  + NoTopic        nothing was sent: the topics are not there
  + NotSent        the broker did not take the command, or did not say that it did
  + NoReply        the command is in the log and will be decided; nobody answered in time
"""

from __future__ import annotations


class ClientFault(Exception):
    """A command has no reply."""


class NotReachable(ClientFault):
    """The broker did not answer, so nothing was sent."""

    def __init__(self, bootstrap: str, detail: str, *, sending: bool = True) -> None:
        rest = "; nothing was sent" if sending else ""
        super().__init__(f"no Kafka broker answered at {bootstrap} ({detail}){rest}")


class NoTopic(ClientFault):
    """A topic is missing, so nothing was sent."""

    def __init__(self, bootstrap: str, topic: str, *, sending: bool = True) -> None:
        rest = "; nothing was sent" if sending else ""
        super().__init__(
            f"the broker at {bootstrap} has no topic {topic}{rest}: "
            "has `horae topics apply` been run there?"
        )


class NotSent(ClientFault):
    """The broker did not confirm the command."""

    def __init__(
        self, subject: str, detail: str, *, perhaps: bool, too_large: bool = False
    ) -> None:
        self.perhaps = perhaps
        """It may be in the log all the same. Sending it again with the same id is safe."""
        self.too_large = too_large
        """The broker never takes a record of that size: sending it again changes nothing."""
        rest = "it may be in the log all the same" if perhaps else "it is not in the log"
        super().__init__(f"the command for {subject} was not confirmed ({detail}); {rest}")


class NoReply(ClientFault):
    """The command is in the log; its decision is still to come."""

    def __init__(self, partition: int, offset: int, waited: float) -> None:
        self.partition = partition
        self.offset = offset
        super().__init__(
            f"the command is in the log at partition {partition}, offset {offset} and will be "
            f"decided; nobody answered within {waited:g} s: is a processor running?"
        )
