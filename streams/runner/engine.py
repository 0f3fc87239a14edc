"""
What is asked of the container engine, and how does it fail?

The Docker API, by Docker's own library, of Docker or of Podman. A connection belongs to one thread.
Every question has its patience: an engine that hangs holds up nobody for longer. What containers
and commands in them are for is container.py.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from typing import Any, NamedTuple, TypeVar

from docker import APIClient
from docker.constants import DEFAULT_DOCKER_API_VERSION
from docker.errors import APIError, DockerException, NotFound
from docker.types import LogConfig, Mount
from docker.utils import kwargs_from_env
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from streams.runner.faults import RunnerFault
from streams.runner.wire import Wire

PATIENCE = 10
"""Seconds for one answer."""
STOPPED = frozenset({"created", "configured", "initialized", "stopped", "exited", "dead"})
"""States in which nothing runs; `stopped` is Podman's, on the way to `exited`."""
_UNIX = "unix://"
_SCHEMES = (_UNIX, "tcp://", "http://", "https://")

T = TypeVar("T")


class EngineFault(RunnerFault):
    """The container engine did not do what it was asked."""


class EngineAway(EngineFault):
    """It did not answer, or not in time: whether it did what it was asked is not known."""


class Refused(EngineFault):
    """It answered that it does not, and why."""


class Missing(Refused):
    """It does not know what it was asked about."""


class Container(NamedTuple):
    """A container, as the engine sees it."""

    id: str
    name: str
    state: str
    """`running`, `paused`, `exited`, ..."""
    life: str
    """When it was last started: another one after each start."""
    exit_code: int
    image: str
    """As it was named when the container was made."""
    labels: Mapping[str, str]
    out_of_memory: bool = False
    health: str = ""
    """`starting`, `healthy`, `unhealthy`; of one that nobody checks nothing, or `none`."""


class Command(NamedTuple):
    """A process that is to run inside a container that is there."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    user: str | None = None
    folder: str | None = None


class Running(NamedTuple):
    """What became of a process inside a container."""

    goes_on: bool
    exit_code: int | None


class Plan(NamedTuple):
    """A container that is to be made."""

    name: str
    image: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    labels: Mapping[str, str]
    mounts: tuple[Mount, ...] = ()
    network: str | None = None
    user: str | None = None
    folder: str | None = None
    memory: int | None = None
    """Bytes."""
    nano_cpus: int | None = None


class Engine:
    """Where the engine is, and how long it may take to answer."""

    def __init__(
        self, address: str, environ: Mapping[str, str] | None = None, *, patience: int = PATIENCE
    ) -> None:
        self.address = address
        self._patience = patience
        # Its names for certificates are Docker's own: DOCKER_TLS_VERIFY, DOCKER_CERT_PATH.
        self._environ = dict(environ or {}) | {"DOCKER_HOST": address}

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """A connection for the present thread; EngineAway if nobody answers."""
        if not self.address.startswith(_SCHEMES):
            raise EngineAway(f"it is reached by {', '.join(_SCHEMES)} only")
        with _asking():
            self._knock()
            client = self._client(DEFAULT_DOCKER_API_VERSION)
        with closing(client), _asking():
            newest = self._client(self._newest_known_to(client))
        with closing(newest):
            yield Connection(newest)

    def _knock(self) -> None:
        """Say in plain words why a socket leads to nobody; its library loses it then, open."""
        if self.address.startswith(_UNIX):
            with socket.socket(socket.AF_UNIX) as end:
                end.settimeout(self._patience)
                end.connect(self.address.removeprefix(_UNIX))

    def _newest_known_to(self, client: APIClient) -> str:
        """The version of the interface that the engine would be spoken to in."""
        # It says so with every answer. Asked for its version, Podman first asks the machine's
        # package manager who has brought its programs, which takes longer than all the rest.
        answer = client.get(f"{client.base_url}/_ping", timeout=self._patience)
        said = answer.headers.get("Api-Version")
        return said or str(client.version(api_version=False)["ApiVersion"])

    def _client(self, version: str) -> APIClient:
        options = kwargs_from_env(environment=self._environ)
        return APIClient(**options, version=version, timeout=self._patience)


class Connection:
    """What can be asked; every method may raise EngineFault."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def find(self, name: str) -> Container | None:
        """A container by its id or name."""
        with suppress(Missing):
            return _container(self._ask(self._client.inspect_container, name))
        return None

    def labelled(self, label: str) -> list[Container]:
        """All containers, also stopped ones, with a label (`name` or `name=value`), by name."""
        rows = self._ask(self._client.containers, all=True, filters={"label": label})
        found = (self.find(row["Id"]) for row in rows)
        return sorted((one for one in found if one is not None), key=lambda one: one.name)

    def prepare(self, container: str, command: Command) -> str:
        """Tell it about a process inside a container; its id. Nothing runs yet."""
        made = self._ask(
            self._client.exec_create,
            container,
            list(command.argv),
            environment=dict(command.env),
            user=command.user or "",
            workdir=command.folder,
        )
        return str(made["Id"])

    def begin(self, process: str) -> Wire:
        """Start a process that was prepared; after EngineAway it may or may not run."""
        return Wire(self._ask(self._client.exec_start, process, socket=True))

    def look(self, process: str) -> Running:
        """What became of it; Missing if that is not known any more."""
        found = self._ask(self._client.exec_inspect, process)
        code = found.get("ExitCode")
        return Running(bool(found["Running"]), None if code is None else int(code))

    def make(self, plan: Plan) -> str:
        """Make a container that does not run yet; its id."""
        client = self._client
        with _asking():
            # What is written goes over the wire only: no engine's disk fills up with it.
            limits: dict[str, Any] = {
                "log_config": LogConfig(type="none"),
                "mounts": list(plan.mounts),
                "network_mode": plan.network,
                "mem_limit": plan.memory,
                "nano_cpus": plan.nano_cpus,
            }
            host = client.create_host_config(
                **{name: value for name, value in limits.items() if value is not None}
            )
            made = client.create_container(
                plan.image,
                # The image's own entrypoint would take the program for an argument.
                entrypoint=[plan.argv[0]],
                command=list(plan.argv[1:]),
                name=plan.name,
                environment=dict(plan.env),
                labels=dict(plan.labels),
                user=plan.user,
                working_dir=plan.folder,
                healthcheck={"test": ["NONE"]},
                use_config_proxy=False,
                host_config=host,
            )
        return str(made["Id"])

    def attach(self, container: str) -> Wire:
        """What a container writes from now on; also before it is started."""
        wanted = {"stdout": 1, "stderr": 1, "stream": 1}
        return Wire(self._ask(self._client.attach_socket, container, params=wanted))

    def start(self, container: str) -> None:
        """Let its process run; after EngineAway it may or may not do so."""
        self._ask(self._client.start, container)

    def stop(self, container: str, grace: int) -> None:
        """Have it end, killed after so many seconds; returns when it has. It stays as it is."""
        self._ask(self._client.stop, container, timeout=grace)

    def pause(self, container: str) -> None:
        """Have all of its processes stand still."""
        self._ask(self._client.pause, container)

    def unpause(self, container: str) -> None:
        """Have them go on."""
        self._ask(self._client.unpause, container)

    def signal(self, container: str, name: str) -> None:
        """Send a signal to its first process; one that has ended is left alone."""
        with suppress(Refused):
            self._ask(self._client.kill, container, signal=name)

    def remove(self, container: str) -> None:
        """Have it killed and removed, with what volumes it made for itself."""
        with suppress(Missing):
            self._ask(self._client.remove_container, container, force=True, v=True)

    @staticmethod
    def _ask(question: Callable[..., T], *args: object, **named: object) -> T:
        with _asking():
            return question(*args, **named)


@contextmanager
def _asking() -> Iterator[None]:
    """Turn what its library raises into what a runner knows."""
    try:
        yield
    except NotFound as fault:
        raise Missing(_said(fault)) from fault
    except APIError as fault:
        raise Refused(_said(fault)) from fault
    except (DockerException, RequestException, HTTPError, OSError) as fault:
        raise EngineAway(_first_line(fault)) from fault
    except (LookupError, TypeError, ValueError) as fault:
        raise Refused(f"it answers what is not understood: {_first_line(fault)}") from fault


def _said(fault: APIError) -> str:
    return str(fault.explanation or fault)[:500]


def _first_line(fault: BaseException) -> str:
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror
    return (str(fault) or type(fault).__name__).splitlines()[0][:300]


def _container(found: Mapping[str, Any]) -> Container:
    state = found["State"]
    return Container(
        id=str(found["Id"]),
        name=str(found["Name"]).removeprefix("/"),
        state=str(state["Status"]),
        life=str(state.get("StartedAt", "")),
        exit_code=int(state.get("ExitCode") or 0),
        image=str(found["Config"].get("Image", "")),
        labels=dict(found["Config"].get("Labels") or {}),
        out_of_memory=bool(state.get("OOMKilled")),
        health=str((state.get("Health") or state.get("Healthcheck") or {}).get("Status") or ""),
    )
