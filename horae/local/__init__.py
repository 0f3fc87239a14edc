"""
What runs Horae on one machine, with no Docker and no Java installed?

A real broker and a real database as children of one process, and the roles beside them.
"""

from horae.local.faults import LocalFault
from horae.local.folder import Ports
from horae.local.stack import Endpoints, LocalStack, Progress, Step, wait_for_signal
from horae.local.supervisor import Role

__all__ = [
    "Endpoints",
    "LocalFault",
    "LocalStack",
    "Ports",
    "Progress",
    "Role",
    "Step",
    "wait_for_signal",
]
