"""
How does a Python program use the scheduler without its API?

`with Client("127.0.0.1:19092") as client: client.define("billing/nightly", definition)`. Needs a
broker and the messages of `schemas`, nothing else of Horae.
"""

from horae.client.client import Client
from horae.client.exchange import Progress
from horae.client.faults import ClientFault, NoReply, NoTopic, NotReachable, NotSent
from horae.client.orders import Order

__all__ = [
    "Client",
    "ClientFault",
    "NoReply",
    "NoTopic",
    "NotReachable",
    "NotSent",
    "Order",
    "Progress",
]
