"""What do the tests of a runner share, beside what all tests share?"""

from tests.runner.containers import podman, podman_service
from tests.runner.staged import kafka, stage

__all__ = ["kafka", "podman", "podman_service", "stage"]
