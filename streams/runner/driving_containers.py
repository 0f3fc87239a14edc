"""
How does a container sleep and wake?

It is paused for a sleep, which keeps its memory and takes its processor, and stopped for a stop.
The container is the one that the deployment names, or the only one that is labelled with it; its
name has to be allowed either way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from schemas.deployments import ContainerDriver, DeploymentState
from streams.runner.engine import STOPPED, Connection, Container
from streams.runner.faults import NotToBeHad
from streams.runner.reaching import Reach

LABEL: Final = "horae.deployment"
"""Its value is the subject."""
_STATES: Final[Mapping[str, DeploymentState]] = {
    "running": DeploymentState.RUNNING,
    "paused": DeploymentState.ASLEEP,
    "restarting": DeploymentState.STARTING,
    **dict.fromkeys(STOPPED, DeploymentState.STOPPED),
}
_HEALTH: Final[Mapping[str, DeploymentState]] = {
    "starting": DeploymentState.STARTING,
    "unhealthy": DeploymentState.UNKNOWN,
}
"""Of a running one whose health is checked."""


class DrivenContainer:
    """A container, as the engine has it."""

    tells = True

    def __init__(self, driver: ContainerDriver, reach: Reach) -> None:
        self._driver = driver
        self._reach = reach

    async def state(self) -> DeploymentState:
        """Whether it runs, is paused, or does neither."""
        return container_state(await self._found())

    async def fits(self) -> str | None:
        """The engine does not say."""
        return None

    async def sleep(self, level: int | None) -> None:  # noqa: ARG002 - a pause has no levels
        """Pause it."""
        found = await self._found()
        await self._reach.have_engine(
            f"container {found.name} was paused", lambda engine: engine.pause(found.id)
        )

    async def wake(self) -> None:
        """Have it go on."""
        found = await self._found()
        await self._reach.have_engine(
            f"container {found.name} goes on", lambda engine: engine.unpause(found.id)
        )

    async def stop(self) -> None:
        """End it in order, and kill it after the grace."""
        found, grace = await self._found(), int(self._reach.job.grace)

        def stop(engine: Connection) -> None:
            if container_state(found) is DeploymentState.ASLEEP:
                # What stands still hears no signal.
                engine.unpause(found.id)
            engine.stop(found.id, grace)

        await self._reach.have_engine(f"container {found.name} was stopped", stop)

    async def start(self) -> None:
        """Start it as it was made."""
        found = await self._found()
        await self._reach.have_engine(
            f"container {found.name} was started", lambda engine: engine.start(found.id)
        )

    async def _found(self) -> Container:
        return await found_container(self._reach, self._driver.name)


async def found_container(reach: Reach, name: str | None) -> Container:
    """The container with this name, or the one with the deployment's label; NotToBeHad if none."""
    if name is not None:
        reach.check_container(name)
        found = await reach.ask_engine(lambda engine: engine.find(name))
        if found is None:
            raise NotToBeHad(f"there is no container {name}")
        reach.check_container(found.name)  # what was given may be an id
        return found
    label = f"{LABEL}={reach.subject}"
    several = await reach.ask_engine(lambda engine: engine.labelled(label))
    if len(several) != 1:
        names = ", ".join(one.name for one in several[:5])
        raise NotToBeHad(
            f"several containers are labelled {label}: {names}"
            if several
            else f"no container is labelled {label}"
        )
    reach.check_container(several[0].name)
    return several[0]


def container_state(container: Container) -> DeploymentState:
    """What a container is doing, in the words for deployments."""
    state = _STATES.get(container.state, DeploymentState.UNKNOWN)
    if state is DeploymentState.RUNNING:
        return _HEALTH.get(container.health, state)
    return state
