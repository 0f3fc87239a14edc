"""
How many made-up histories does a property see?

Fifty where somebody waits for the answer; a hundred in CI, the same ones on every run, so that a
red build can be made red again; a thousand under `make deep`, others each time. A slow machine is
no fault of a property: there is no deadline.
"""

import os

from hypothesis import settings

LOCAL, CI, DEEP = "local", "ci", "deep"

settings.register_profile(LOCAL, max_examples=50, deadline=None)
settings.register_profile(CI, max_examples=100, deadline=None, derandomize=True, print_blob=True)
settings.register_profile(DEEP, max_examples=1_000, deadline=None, print_blob=True)


def load() -> None:
    """Use the profile that was asked for, or that of this machine."""
    here = CI if os.environ.get("CI") else LOCAL
    settings.load_profile(os.environ.get("HORAE_EXAMPLES") or here)
