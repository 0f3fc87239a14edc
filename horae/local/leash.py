"""
How does a child die with its parent, whatever kills the parent?

Run as a script in front of a program: become the user asked for, ask the kernel for a signal at
the parent's death, then become the program. In that order, since a change of user clears the
request. Imports nothing of Horae: a user who may not read our files still gets through, as
everything is read before the change.

    python -I -S leash.py <parent pid> <signal> <uid or -> <gid or -> <program> <argument>...
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main(argv: list[str]) -> None:
    """Never returns: either becomes the program or leaves."""
    parent, signal, uid, gid, *command = argv
    if uid != "-":
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(signal), 0, 0, 0)
    # The parent may have died before the request stood; then nobody would tell us.
    if os.getppid() != int(parent):
        raise SystemExit(1)
    os.execv(command[0], command)  # noqa: S606 - no shell is wanted here


if __name__ == "__main__":
    main(sys.argv[1:])
