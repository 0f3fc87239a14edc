"""
What can keep an attempt from beginning, or from going on?

* RunnerFault
  + NotToBeHad   what the order needs is not allowed here, or not there: the run ends `unavailable`
    - NoAnswer   the other side could not be reached, or broke off
  + Misfit       what is ordered, or what was answered to it, makes no sense: the run ends `failed`
"""

from __future__ import annotations


class RunnerFault(Exception):
    """Something failed while carrying out an order."""


class NotToBeHad(RunnerFault):
    """What an order needs is not allowed, or not there; the text says which."""


class NoAnswer(NotToBeHad):
    """A request got no whole answer; the text says whether it had been sent."""


class Misfit(RunnerFault):
    """An order that cannot be carried out as it stands, or an answer that does not say enough."""
