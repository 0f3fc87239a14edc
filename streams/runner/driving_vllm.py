"""
How does a server sleep and wake that speaks the endpoints of vLLM?

`/sleep`, `/wake_up` and `/is_sleeping`, which vLLM has with `--enable-sleep-mode` and
`VLLM_SERVER_DEV_MODE=1`, and `/health`. A sleep at level 2 drops the weights, so a wake from it has
them loaded anew. It is stopped and started as a container or by programs, if the deployment names
them; a program hands the server to whoever keeps it, and is over then.
"""

from __future__ import annotations

from typing import Final

from schemas.deployments import DeploymentState, Vllm
from streams.runner.asking import Answer, Header, Request
from streams.runner.driving_containers import container_state, found_container
from streams.runner.engine import Container
from streams.runner.faults import Misfit, NotToBeHad, Unreached
from streams.runner.following import looked_up
from streams.runner.reaching import Reach

_UNKNOWN_PATHS: Final = frozenset({404, 405})
_DROPPED: Final = 2
"""The level whose sleep keeps no weights."""
_MEANT: Final = "it has no {}: vLLM needs --enable-sleep-mode and VLLM_SERVER_DEV_MODE=1"


class DrivenVllm:
    """A server that speaks the endpoints of vLLM."""

    tells = True

    def __init__(self, vllm: Vllm, reach: Reach) -> None:
        self._vllm = vllm
        self._reach = reach

    async def state(self) -> DeploymentState:
        """Whether its container runs, whether it sleeps, and whether it is well."""
        named = self._vllm.container
        if named is not None:
            held = container_state(await found_container(self._reach, named))
            if held is DeploymentState.ASLEEP:
                raise NotToBeHad(f"the container {named} is paused: no server answers in it")
            if held in (DeploymentState.STOPPED, DeploymentState.STARTING):
                return held
        try:
            return await self._answered()
        except Unreached as fault:
            if named is not None:  # it runs, and loads its weights before it listens
                return DeploymentState.STARTING
            if fault.refused and (self._vllm.start or self._vllm.stop):
                return DeploymentState.STOPPED
            raise

    async def fits(self) -> str | None:
        """It does not say."""
        return None

    async def sleep(self, level: int | None) -> None:
        """Have it drop its cache, and move its weights away or drop them too."""
        if level is not None and level >= _DROPPED > self._vllm.level:
            raise Misfit(
                "a sleep at level 2 drops the weights, and this deployment would wake without "
                "loading them: register it with level 2"
            )
        await self._act(f"/sleep?level={level or self._vllm.level}")

    async def wake(self) -> None:
        """Have it take its memory again, and load its weights if they were dropped."""
        if self._vllm.level < _DROPPED:
            await self._act("/wake_up")
            return
        await self._act("/wake_up?tags=weights")
        await self._act("/collective_rpc", b'{"method": "reload_weights"}')
        await self._act("/wake_up?tags=kv_cache")

    async def stop(self) -> None:
        """End its container, or run the program that ends it."""
        if self._vllm.container is not None:
            grace = int(self._reach.job.grace)
            found = await self._container(self._vllm.container)
            await self._reach.have_engine(
                f"container {found.name} was stopped", lambda engine: engine.stop(found.id, grace)
            )
        else:
            await self._run(self._vllm.stop, "stop")

    async def start(self) -> None:
        """Start its container, or run the program that starts it."""
        if self._vllm.container is not None:
            found = await self._container(self._vllm.container)
            await self._reach.have_engine(
                f"container {found.name} was started", lambda engine: engine.start(found.id)
            )
        else:
            await self._run(self._vllm.start, "start")

    async def _container(self, name: str) -> Container:
        return await found_container(self._reach, name)

    async def _run(self, argv: tuple[str, ...], verb: str) -> None:
        if not argv:
            raise Misfit(
                f"this deployment cannot be {'stopped' if verb == 'stop' else 'started'}: "
                f"it names no container, and no program to {verb} it"
            )
        await self._reach.run(argv)

    async def _answered(self) -> DeploymentState:
        """What the server itself says."""
        asleep = await self._look("/is_sleeping")
        if asleep.good:
            if _is_sleeping(asleep):
                return DeploymentState.ASLEEP
        elif asleep.status not in _UNKNOWN_PATHS:  # a server that cannot sleep is awake
            return DeploymentState.UNKNOWN
        health = await self._look("/health")
        return DeploymentState.RUNNING if health.good else DeploymentState.UNKNOWN

    async def _look(self, path: str) -> Answer:
        return await self._reach.look(Request("GET", self._url(path), self._headers()))

    async def _act(self, path: str, body: bytes | None = None) -> None:
        headers = self._headers()
        if body is not None:
            others = (one for one in headers if one.name != b"content-type")
            headers = (*others, Header(b"content-type", b"application/json"))
        try:
            await self._reach.act(Request("POST", self._url(path), headers, body))
        except Misfit as fault:
            if self._reach.status in _UNKNOWN_PATHS:
                raise Misfit(f"{fault}; {_MEANT.format(path.partition('?')[0])}") from fault
            raise

    def _headers(self) -> tuple[Header, ...]:
        return self._reach.headers(self._vllm.headers)

    def _url(self, path: str) -> str:
        return self._vllm.url.rstrip("/") + path


def _is_sleeping(answer: Answer) -> bool:
    found = looked_up(answer.body, "/is_sleeping")
    if not isinstance(found, bool):  # the text "false" is no answer, and least of all a yes
        raise Misfit(f"/is_sleeping does not say whether it sleeps: {found!r:.60}")
    return found
