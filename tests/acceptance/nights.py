"""
Which nights does a deployment have, and who is there to let it sleep?

All programs of an installation as an operator starts them, under one clock that a test puts
forward. Hours of which nothing is to be seen but their traffic are leapt over: what a sampler would
have seen in them is sent in its place. In the others the sampler looks itself.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from confluent_kafka import Producer
from typing_extensions import override

from horae.local import ports
from horae.local.kafka import Broker
from projections import traffic_queries
from projections.queries import Reads
from projections.shown_traffic import DeploymentShown, ProposalShown
from schemas.codec import encode
from schemas.deployments import DeploymentState
from schemas.events import Deferred
from schemas.identity import partition_of
from schemas.topics import SAMPLES
from schemas.traffic import Sample
from schemas.units import MINUTE, SECOND
from streams.clock import Deadline, pause
from tests import brokers
from tests.acceptance.leaping import LEAPING, Leaper, LeapingPostgres
from tests.acceptance.sleeper import Sleeper
from tests.acceptance.stack import PARTITIONS, Stack
from tests.processor.cluster import await_that, fresh_cluster

ZONE = ZoneInfo("Europe/Berlin")
ADMIN = "user:ada"
_URLS = "http://127.0.0.1:*/"
_LEAP = 50 * MINUTE
"""Below the hour after which a sample comes too late."""
_BEFORE = 6 * SECOND
"""So long before a full minute it is, so that a fresh sample is there when that comes."""

Rate = Callable[[datetime], int]
"""Requests a minute at a local time."""


@dataclass(slots=True, kw_only=True)
class Nights(Stack):
    """An installation under a clock that leaps, and the traffic that its deployments have."""

    leaper: Leaper
    told: int
    """Up to here the samples were sent."""
    looks_every: int = MINUTE
    """How often a sampler would have looked."""
    rates: dict[str, Rate] = field(default_factory=dict)
    _sender: Producer | None = None

    @override
    def environment(self) -> dict[str, str]:
        """With the time, and without a wait until a profile is computed anew."""
        more = {"HORAE_PROJECTOR_PROFILE_SECONDS": "2"}
        return Stack.environment(self) | self.leaper.environment | more

    def decide_and_do(self) -> None:
        """Start what decides, what carries out and what shows it."""
        self.processor("processor")
        self.projector()
        self.runner("runner", ALLOW_ACTIONS="deployment,command", ALLOW_URLS=_URLS)

    def count(self) -> None:
        """Start what puts samples together."""
        env = {"HORAE_TRAFFIC_LOCKS": str(self.folder / "traffic-locks")}
        self._run("traffic", "traffic", "--instance", "worker", env=env)

    def sample(self) -> None:
        """Start what looks at the traffic."""
        chosen = {"INTERVAL": "1", "REFRESH": "1", "ALLOW_URLS": _URLS}
        env = {f"HORAE_SAMPLER_{name}": value for name, value in chosen.items()}
        self._run("sampler", "sampler", env=env)

    def propose(self, at: str, **settings: str) -> None:
        """Start what proposes, each day at this time."""
        words = ("propose", "--daily", at, "--zone", str(ZONE))
        self._run("proposer", *words, env=settings)

    def horae(self, *words: str) -> str:
        """What an admin is told who types this."""
        told = self.environment() | {"HORAE_ACTOR": ADMIN, "HORAE_REPLY_WITHIN": "60"}
        argv = [sys.executable, "-m", self.pace.module, *words]
        said = subprocess.run(
            argv, env=os.environ | told, capture_output=True, text=True, timeout=180, check=False
        )
        assert said.returncode == 0, (words, said.returncode, said.stdout, said.stderr)
        return said.stdout

    def register(self, subject: str, sleeper: Sleeper, *, measured: bool = True) -> None:
        """Let a deployment be known; without a page of metrics its service sends its samples."""
        told = {"vllm": sleeper.driver, "zone": str(ZONE)}
        if measured:
            told["metrics"] = f"{sleeper.url}/metrics"
        file = self.folder / f"{subject}.json"
        file.write_text(json.dumps(told))
        self.horae("deployment", "register", subject, "-f", str(file))

    # ------------------------------------------------------------------ time

    @property
    def clock(self) -> datetime:
        """The local time."""
        return at_local(self.leaper.now)

    def leap_to(self, hour: int, minute: int = 0, *, days: int = 0) -> None:
        """Put the clock forward to shortly before a local time of today, or of a later day."""
        wanted = self.clock.replace(hour=hour, minute=minute, second=0, microsecond=0)
        self._leap(round((wanted + timedelta(days=days)).timestamp()) * SECOND - _BEFORE)

    def live(self, true: Callable[[], object], promise: str) -> None:
        """Wait for something; to a look that was put off, the clock leaps."""
        deadline = Deadline.after(120)
        while not true():
            assert not deadline.over, f"it is {self.clock}, and it was not so: {promise}"
            until = self._next_look()
            if until - self.leaper.now > 2 * _BEFORE:
                self._leap(until - _BEFORE)
            pause(0.1)

    def _next_look(self) -> int:
        """When it is looked again whether somebody needs it."""
        looks = [one.event for one in self.cluster.events(Deferred)]
        return max((one.until for one in looks if isinstance(one, Deferred)), default=0)

    def _leap(self, until: int) -> None:
        """Under an hour at a time, and what was seen in it is told each time."""
        while (left := (until - self.leaper.now) // SECOND) > 0:
            self.leaper.leap(min(left, _LEAP // SECOND))
            self._tell()

    def _tell(self) -> None:
        """What was to be seen of each deployment, up to now."""
        if self._sender is None:
            self._sender = Producer({"bootstrap.servers": self.broker.bootstrap, "linger.ms": 2})
        while self.told + self.looks_every <= self.leaper.now:
            for subject, rate in self.rates.items():
                home = partition_of(subject, self.cluster.partitions)
                value = encode(_seen(self.told + MINUTE // 2, rate))
                self._sender.produce(SAMPLES, value, subject.encode(), home)
            self.told += self.looks_every
        assert self._sender.flush(60) == 0

    # ------------------------------------------------------------------ what is seen

    def deployment(self, subject: str) -> DeploymentShown:
        """What the views say of it."""
        with Reads(self.dsn) as reads:
            found = reads.look(lambda session: traffic_queries.deployment(session, subject))
        assert found is not None
        return found

    def await_state(self, subject: str, state: DeploymentState) -> None:
        """Return when the views show it so."""
        shown = f"{subject} is shown as {state}"
        await_that(lambda: self.deployment(subject).state == state, shown, 60)

    def await_seen(self, subject: str, sleeper: Sleeper) -> None:
        """Return when the views know of each request that the server has had, and all are over."""

        def known() -> bool:
            served, shown = sleeper.served(), self.deployment(subject)
            return served is not None and (served, 0) == (shown.served, shown.in_flight)

        await_that(known, f"all requests of {subject} were seen", 60)

    def proposals(self, subject: str) -> list[ProposalShown]:
        """All that was ever proposed for it, the newest first."""
        with Reads(self.dsn) as reads:
            found = reads.look(lambda session: traffic_queries.proposals(session, subject=subject))
            return list(found.rows)

    def await_profile(self, subject: str, minutes: int) -> None:
        """Return when its profile is made of so many minutes."""

        def observed() -> int:
            with Reads(self.dsn) as reads:
                found = reads.look(lambda session: traffic_queries.profile(session, subject))
            return sum(hour.minutes for hour in found.hours) if found else 0

        await_that(lambda: observed() == minutes, f"{subject} has {minutes} minutes", 240)


def at_local(instant: int) -> datetime:
    """An instant as the people of the deployment read it."""
    return datetime.fromtimestamp(instant / SECOND, ZONE)


def _seen(at: int, rate: Rate) -> Sample:
    """What a look shows, if each request takes two seconds."""
    requests = rate(at_local(at))
    return Sample(at, -(-requests // 30), 0, requests, requests * 2 * SECOND)


@contextmanager
def nights_from(begins: datetime) -> Iterator[Nights]:
    """A broker and a database on which nothing runs yet, and a clock that stands at this time."""
    folder = Path(tempfile.mkdtemp(prefix="horae-nights-"))
    folder.chmod(0o711)  # as root, the database runs as another user, who has to walk through here
    first = round(begins.timestamp()) * SECOND
    leaper = Leaper(first)
    files, jvm = brokers.needs(folder)
    port = ports.choose()
    controller = ports.choose(besides=[port])
    broker = Broker(
        folder / "kafka", files, port, controller, folder / "kafka.log",
        jvm=jvm, before=leaper.before,
    )  # fmt: skip
    postgres = LeapingPostgres(
        folder / "postgres",
        ports.choose(besides=[port, controller]),
        secrets.token_urlsafe(16),
        folder / "postgres.log",
    )
    postgres.before = leaper.before
    try:
        broker.start()
        postgres.start()
        with fresh_cluster(broker.bootstrap, PARTITIONS) as cluster:
            nights = Nights(
                broker=broker, cluster=cluster, folder=folder, pace=LEAPING,
                postgres=postgres, dsn=postgres.dsn, leaper=leaper,
                # Of the minutes that it took to come here, nobody saw anything.
                told=leaper.now - leaper.now % MINUTE + MINUTE,
            )  # fmt: skip
            try:
                yield nights
            finally:
                nights.end()
    finally:
        broker.stop()  # in order: libfaketime leaves something behind else
        postgres.stop()
        leaper.close()
        shutil.rmtree(folder, ignore_errors=True)
