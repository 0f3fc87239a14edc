"""What do the tests of the examples share, beside what all tests share?"""

from tests.runner.staged import kafka, stage

__all__ = ["kafka", "stage"]
