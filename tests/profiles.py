"""
How many made-up histories does a property see?

Fifty where somebody waits for the answer; five hundred in CI, the same ones on every run, so that
a red build can be made red again. A slow machine is no fault of a property: there is no deadline.
"""

import os

from hypothesis import settings

LOCAL, CI = "local", "ci"

settings.register_profile(LOCAL, max_examples=50, deadline=None)
settings.register_profile(CI, max_examples=500, deadline=None, derandomize=True, print_blob=True)


def load() -> None:
    """Use the profile of this machine."""
    settings.load_profile(CI if os.environ.get("CI") else LOCAL)
