"""
What can keep an attempt from beginning?

* RunnerFault
  + NotToBeHad   what the order needs is not allowed here, or not there: the run ends `unavailable`
"""

from __future__ import annotations


class RunnerFault(Exception):
    """Something failed while carrying out an order."""


class NotToBeHad(RunnerFault):
    """What an order needs is not allowed, or not there; the text says which."""
