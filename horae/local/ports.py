"""
Which port of the loopback may a server of ours listen on?

All are below 32768: from there up the kernel hands out ports to outgoing connections, and a
client that probes such a port can be connected to itself.
"""

import secrets
import socket
from collections.abc import Iterable

from horae.local.faults import PortTaken

LOOPBACK = "127.0.0.1"
LOWEST, ABOVE = 20_000, 32_000


def is_free(port: int) -> bool:
    """Whether a server could listen there now; a port that only lingers counts as free."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def choose(*, preferred: int | None = None, besides: Iterable[int] = ()) -> int:
    """A free port: the preferred one if it may be had, else any."""
    taken = set(besides)
    if preferred is not None and preferred not in taken and is_free(preferred):
        return preferred
    for _ in range(1000):
        # At random, so that two instances that start together seldom meet.
        port = LOWEST + secrets.randbelow(ABOVE - LOWEST)
        if port not in taken and is_free(port):
            return port
    msg = f"no free port between {LOWEST} and {ABOVE} on {LOOPBACK}"
    raise PortTaken(msg)


def insist(port: int) -> int:
    """The port that was asked for, or a fault that names it."""
    if not is_free(port):
        msg = f"port {port} on {LOOPBACK} is taken by another program"
        raise PortTaken(msg)
    return port
