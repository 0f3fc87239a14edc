"""
What can keep an attempt from beginning, or from going on?

* RunnerFault
  + NotToBeHad   what the order needs is not allowed here, or not there: the run ends `unavailable`
    - NoAnswer   the other side could not be reached, or broke off
      . Unreached  nothing was sent to it
  + Misfit       what is ordered, or what was answered to it, makes no sense: the run ends `failed`
  + Locked       somebody else is at the deployment: the run waits for another time, `busy`
  + NoRoom       the deployment has no room to run in: the run ends `does_not_fit`
"""

from __future__ import annotations


class RunnerFault(Exception):
    """Something failed while carrying out an order."""


class NotToBeHad(RunnerFault):
    """What an order needs is not allowed, or not there; the text says which."""


class NoAnswer(NotToBeHad):
    """A request got no whole answer; the text says whether it had been sent."""


class Unreached(NoAnswer):
    """Nobody was there to be asked."""

    def __init__(self, detail: str, *, refused: bool = False) -> None:
        super().__init__(detail)
        self.refused = refused
        """The machine is there, and says that nobody listens."""


class Misfit(RunnerFault):
    """An order that cannot be carried out as it stands, or an answer that does not say enough."""


class Locked(RunnerFault):
    """Somebody holds the deployment; the text says what was asked of it."""


class NoRoom(RunnerFault):
    """A deployment does not fit beside what runs; the text is what was answered."""
