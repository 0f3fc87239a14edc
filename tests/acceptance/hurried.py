"""
What if runs were given up sooner?

`horae`, but a runner may be silent for a third of the usual time, and beats so much more often:
what happens when a lease is over is the same, and a test does not wait half a minute for it. The
times as they are shipped are those of `make chaos`.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.units import SECOND
from streams.decider import pools

HORAE = "horae.cli"


class Pace(NamedTuple):
    """Which program is started, and how long the lease is that it gives."""

    module: str
    lease: float
    """Seconds after which a run that is in no beat is given up."""


AS_SHIPPED = Pace(HORAE, pools.LEASE / SECOND)
HURRIED = Pace("tests.acceptance.hurried", pools.LEASE / SECOND / 3)


def main() -> None:
    """Take the times before anybody has read them; then be the command line."""
    pools.LEASE //= 3
    pools.RENEWED_BELOW //= 3
    from streams.runner import beats

    beats.EVERY //= 3
    from horae.cli.main import main as horae

    horae()


if __name__ == "__main__":
    main()
