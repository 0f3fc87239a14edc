"""
Which deployments do the tests of drivers act on, and what do they see of them?

Real ones: a model server that is a process of its own, a container of Podman, and a control plane
that answers over HTTP. Each is put into a state and looked at here without any driver.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import httpx

from schemas.deployments import (
    Call,
    ContainerDriver,
    DeploymentState,
    Driver,
    HttpDriver,
    Vllm,
)
from streams.runner.driving_containers import LABEL
from tests.examples import model_servers
from tests.examples.model_servers import Server
from tests.runner.containers import Podman
from tests.runner.other_side import Asked, Say, Service

SUBJECT = "llama"
RUNNING, ASLEEP, STOPPED, STARTING, UNKNOWN = (
    DeploymentState.RUNNING,
    DeploymentState.ASLEEP,
    DeploymentState.STOPPED,
    DeploymentState.STARTING,
    DeploymentState.UNKNOWN,
)


class Rig(Protocol):
    """A deployment that is really there."""

    driver: Driver
    traffic: Server
    """Who counts its requests."""

    @property
    def state(self) -> DeploymentState:
        """What it really is."""
        ...

    def put(self, state: DeploymentState) -> None:
        """Bring it there by hand."""
        ...

    def free(self) -> None:
        """Nothing of a test is left."""
        ...


class VllmRig:
    """A model server, as a process of its own."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.traffic = Server(f"http://127.0.0.1:{port}")
        self.driver: Driver = Vllm(
            self.traffic.url,
            start=model_servers.program(port, "--behind"),
            stop=model_servers.program(port, "--end"),
        )

    @property
    def state(self) -> DeploymentState:
        try:
            return ASLEEP if self.traffic.is_sleeping else RUNNING
        except httpx.ConnectError:
            return STOPPED

    def put(self, state: DeploymentState) -> None:
        if state is self.state:
            return
        if state is STOPPED:
            model_servers.run(self.port, "--end")
            return
        if self.state is STOPPED:
            model_servers.run(self.port, "--behind")
        path = "/sleep" if state is ASLEEP else "/wake_up"
        self.traffic.client.post(path).raise_for_status()

    def lock(self) -> None:
        self.traffic.faults(locked=True)

    def free(self) -> None:
        if self.state is not STOPPED:
            self.traffic.faults()

    def end(self) -> None:
        self.traffic.client.close()
        model_servers.run(self.port, "--end")


CALLS = HttpDriver(
    "http://127.0.0.1",
    sleep=Call("/models/llama/sleep"),
    stop=Call("/models/llama/stop", body='{"drain": true}'),
    wake=Call("/models/llama/wake"),
    start=Call("/models/llama/start"),
    fits=Call("/models/llama/room", method="GET"),
    state=Call("/models/llama", method="GET"),
    state_at="/model/state",
)


class Plane:
    """A control plane with one model."""

    def __init__(self) -> None:
        self.state = RUNNING
        self.held = False
        self.room = 200
        self.deeds: list[str] = []
        """What was done, in order."""
        self.asked: list[Asked] = []

    def answer(self, asked: Asked) -> Say:
        self.asked.append(asked)
        match asked.path.rpartition("/")[2]:
            case "llama":
                return Say(data={"model": {"state": self.state.value}})
            case "room":
                return Say(self.room, {"why": "8 GiB are missing"})
            case deed:
                return self._do(deed)

    def _do(self, deed: str) -> Say:
        if self.held:
            return Say(423, {"why": "version 2 is being rolled out"})
        self.deeds.append(deed)
        self.state = {"sleep": ASLEEP, "stop": STOPPED}.get(deed, RUNNING)
        return Say(202)


class CallsRig:
    """A control plane, and a server that counts requests."""

    def __init__(self, service: Service, plane: Plane, traffic: Server) -> None:
        self.plane = plane
        self.traffic = traffic
        self.driver: Driver = replace(CALLS, url=service.url)

    @property
    def state(self) -> DeploymentState:
        return self.plane.state

    def put(self, state: DeploymentState) -> None:
        self.plane.state = state

    def lock(self) -> None:
        self.plane.held = True

    def free(self) -> None:
        self.plane.held = False


class ContainerRig:
    """A container, and a server that counts requests."""

    def __init__(self, podman: Podman, traffic: Server, *, name: str | None = "llama-1") -> None:
        self.podman = podman
        self.traffic = traffic
        # It ends when it is asked to, so that nobody waits for that.
        script = "trap exit TERM; while :; do sleep 0.1; done"
        self.id = podman.up("sh", "-c", script, name="llama-1", labels={LABEL: SUBJECT})
        self.driver: Driver = ContainerDriver(name)

    @property
    def state(self) -> DeploymentState:
        found = self.podman.api.inspect_container(self.id)["State"]["Status"]
        return {"running": RUNNING, "paused": ASLEEP}.get(found, STOPPED)

    def put(self, state: DeploymentState) -> None:
        api, now = self.podman.api, self.state
        if now is state:
            return
        if now is ASLEEP:
            api.unpause(self.id)
        if state is STOPPED:
            api.stop(self.id, timeout=0)
        elif now is STOPPED:
            api.start(self.id)
        if state is ASLEEP:
            api.pause(self.id)

    def free(self) -> None:
        """Nobody holds a container."""

    def end(self) -> None:
        self.podman.api.remove_container(self.id, force=True)
