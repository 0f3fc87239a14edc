"""
What can be done to a deployment, whatever it is?

Every way to have one sleep, stop, wake and start answers the same questions; which is for which
deployment is said here, in what order they are asked deployments.py.
"""

from __future__ import annotations

from typing import Protocol

from schemas.deployments import ContainerDriver, Deployment, DeploymentState, HttpDriver, Vllm
from streams.runner.driving_containers import DrivenContainer
from streams.runner.driving_http import DrivenByCalls
from streams.runner.driving_vllm import DrivenVllm
from streams.runner.reaching import Reach


class Driver(Protocol):
    """A way to a deployment.

    What is not allowed, not there or not answered raises NotToBeHad, what fails or cannot be done
    Misfit, what somebody else holds Locked. That something was done does not say that it has come
    about: that is seen by the state.
    """

    @property
    def tells(self) -> bool:
        """Whether it can be asked for its state; else that is unknown for ever."""
        ...

    async def state(self) -> DeploymentState:
        """What it is doing now."""
        ...

    async def fits(self) -> str | None:
        """Why there is no room for it to run; None: there is, or nobody knows."""
        ...

    async def sleep(self, level: int | None) -> None:
        """Have it give up its memory; None: the level that is usual for it."""
        ...

    async def wake(self) -> None:
        """Have it answer again after a sleep."""
        ...

    async def stop(self) -> None:
        """Have it end."""
        ...

    async def start(self) -> None:
        """Have it begin after a stop."""
        ...


def driver_of(deployment: Deployment, reach: Reach) -> Driver:
    """The way to this deployment."""
    match deployment.driver:
        case Vllm() as vllm:
            return DrivenVllm(vllm, reach)
        case HttpDriver() as calls:
            return DrivenByCalls(calls, reach)
        case ContainerDriver() as container:
            return DrivenContainer(container, reach)
