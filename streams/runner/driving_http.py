"""
How does a deployment sleep and wake through a control plane of somebody's own?

By the calls that the deployment names for it, each one request; what has no call cannot be done.
Its state is what it answers at a JSON pointer, in one of the words below; without a call for that
it is unknown, and what was answered with 2xx has come about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from schemas.deployments import Call, DeploymentState, HttpDriver
from streams.runner.asking import Header, Request
from streams.runner.faults import Locked, Misfit, NotToBeHad
from streams.runner.following import looked_up
from streams.runner.questions import about
from streams.runner.reaching import HELD, NO_ROOM, Reach, told_of

WORDS: Final[Mapping[str, DeploymentState]] = {
    "running": DeploymentState.RUNNING,
    "ready": DeploymentState.RUNNING,
    "awake": DeploymentState.RUNNING,
    "asleep": DeploymentState.ASLEEP,
    "sleeping": DeploymentState.ASLEEP,
    "paused": DeploymentState.ASLEEP,
    "stopped": DeploymentState.STOPPED,
    "exited": DeploymentState.STOPPED,
    "starting": DeploymentState.STARTING,
    "waking": DeploymentState.STARTING,
    "loading": DeploymentState.STARTING,
}
"""What states are called, in any case; every other word is an unknown state."""
_HELD: Final = 423
"""409 is also what is answered to a question that makes no sense just now."""


class DrivenByCalls:
    """A control plane that is asked by the calls of a deployment."""

    def __init__(self, driver: HttpDriver, reach: Reach) -> None:
        self._driver = driver
        self._reach = reach

    @property
    def tells(self) -> bool:
        """Whether there is a call for its state."""
        return self._driver.state is not None

    async def state(self) -> DeploymentState:
        """What its control plane says."""
        if self._driver.state is None:
            return DeploymentState.UNKNOWN
        answer = await self._reach.look(self._request(self._driver.state))
        if answer.status == _HELD:
            raise Locked(f"its state was asked for: {told_of(answer)}")
        if not answer.good:
            raise NotToBeHad(f"its state was asked for: {told_of(answer)}")
        found = looked_up(answer.body, self._driver.state_at)
        return WORDS.get(str(found).casefold(), DeploymentState.UNKNOWN)

    async def fits(self) -> str | None:
        """Ask whether there is room; nothing is moved away for it."""
        if self._driver.fits is None:
            return None
        answer = await self._reach.look(self._request(self._driver.fits))
        if answer.status in HELD or answer.status == NO_ROOM:
            return f"whether it fits was {told_of(answer)}"
        if not answer.good:
            raise NotToBeHad(f"whether it fits was asked: {told_of(answer)}")
        return None

    async def sleep(self, level: int | None) -> None:  # noqa: ARG002 - what its call says, it does
        """Call for a sleep."""
        await self._do(self._driver.sleep, "sleep")

    async def wake(self) -> None:
        """Call for a wake."""
        await self._do(self._driver.wake, "wake")

    async def stop(self) -> None:
        """Call for a stop."""
        await self._do(self._driver.stop, "stop")

    async def start(self) -> None:
        """Call for a start."""
        await self._do(self._driver.start, "start")

    async def _do(self, call: Call | None, what: str) -> None:
        if call is None:
            raise Misfit(f"the driver of this deployment has no call for {what}")
        await self._reach.act(self._request(call))

    def _request(self, call: Call) -> Request:
        headers = self._reach.headers(self._driver.headers)
        ours = dict(about(self._reach.job.order, None))
        headers = tuple(one for one in headers if one.name not in ours)
        body = None if call.body is None else call.body.encode()
        if body is not None and all(one.name != b"content-type" for one in headers):
            headers = (*headers, Header(b"content-type", b"application/json"))
        headers = (*headers, *(Header(name, value) for name, value in ours.items()))
        path = call.path if call.path.startswith("/") else f"/{call.path}"
        return Request(call.method.upper(), self._driver.url.rstrip("/") + path, headers, body)
