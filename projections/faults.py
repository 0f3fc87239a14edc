"""
What can go wrong in a projection, and what is to be done?

* ProjectionFault
  + Transient        ask again: reconnect and go on from the stored offsets, with back-off
  + BadRecord        one record cannot become rows: park it, go on with the others
  + NotServing       another version was swapped in: follow that one
  + NotBuilt         nobody has built a version yet: readers say so instead of showing nothing
  + StopsProjection  go no further; a person has to look
    - RebuildNeeded     the log is not the one that was read, or a part of it is gone
    - WrongLayout       the serving tables were made by another release
    - DatabaseRefuses   the database refuses what is neither transient nor one record's fault
    - LogRefuses        the broker refuses what will not get better by asking again
    - WouldLoseRows     a rebuilt version holds fewer rows than the one it is to replace
  + RebuildStopped   somebody asked a rebuild to stop; nothing was swapped

Which answer of the database is which is sqlstates.py.
"""

from __future__ import annotations


class ProjectionFault(Exception):
    """Something a projection cannot do."""


class Transient(ProjectionFault):
    """The database or the broker is away for the moment."""


class BadRecord(ProjectionFault):
    """A record that the tables cannot hold."""

    def __init__(self, reason: str, sqlstate: str | None = None) -> None:
        super().__init__(reason)
        self.sqlstate = sqlstate
        """As the database named it, or would have."""


class NotServing(ProjectionFault):
    """The version that was being written is no longer the serving one."""


class NotBuilt(ProjectionFault):
    """The read models were never built here; start a projector."""


class StopsProjection(ProjectionFault):
    """The projection must not go on by itself."""


class RebuildNeeded(StopsProjection):
    """The stored offsets do not fit the log; `horae rebuild` builds the views anew."""


class WrongLayout(StopsProjection):
    """The serving tables have another layout than this release writes."""


class DatabaseRefuses(StopsProjection):
    """The database refuses the projector's statements."""


class LogRefuses(StopsProjection):
    """The broker refuses the projector's reads."""


class WouldLoseRows(StopsProjection):
    """The swap was stopped: the new version has fewer rows than the serving one."""


class RebuildStopped(ProjectionFault):
    """The rebuild was told to stop before it was done."""
