"""
How is a process watched that only the container engine can see, until it is known to have ended?

It is listened to, looked at now and then, and asked to end when its time is up or somebody wants
that: SIGTERM, after the grace SIGKILL, and that again and again. An engine that does not answer
proves nothing: the process counts as going on until it is known that it does not (AJ-027). What is
watched is a process in an app's container or a container of its own, see container.py.
"""

from __future__ import annotations

import logging
from typing import NamedTuple, Protocol

from schemas.commands import ReportStatus
from streams.clock import Deadline, pause
from streams.runner.engine import EngineFault
from streams.runner.inside import ASK, KILL
from streams.runner.wire import Wire
from streams.runner.work import Job, Outcome

log = logging.getLogger(__name__)

TICK = 0.1
"""Seconds after which at the latest a wish to stop is seen."""
LOOK = 1.0
"""Seconds between two looks at a process that is heard and goes on as it should."""
LOOK_CLOSELY = 0.2
"""The same once it is silent for good, or is to end."""
AGAIN = 1.0
"""Seconds until a signal is sent anew, and until an engine that did not answer is asked anew."""
AGAIN_AT_MOST = 30.0
"""The same for a kill that was in vain again and again."""
DOUBT = 5.0
"""Seconds after a kill from which on it is said that its end is not confirmed."""
SETTLES = 5.0
"""Seconds in which an engine that answers again has begun what it was asked before, if ever."""
_REST = 0.3
"""Seconds of silence after which what has ended has said everything."""
_REST_AT_MOST = 10.0


class Ended(NamedTuple):
    """What is known of a process that goes on no more."""

    exit_code: int | None
    """None: it is not known, or it never began."""
    note: str = ""
    status: ReportStatus | None = None
    """None: it follows from the exit code."""


class Process(Protocol):
    """What is watched. Every method may raise EngineFault: then nothing is known."""

    def look(self) -> Ended | None:
        """How it ended; None: it goes on, or may do so."""
        ...

    def signal(self, name: str) -> bool:
        """Send it and all that it has started a signal; False: no way leads to it."""
        ...

    def listen(self) -> Wire | None:
        """A new wire in place of one that was lost; None: there can be no other."""
        ...


class Wish:
    """That an attempt is to stop, said by another thread."""

    def __init__(self) -> None:
        self.why: str | None = None
        self.kill = False

    def say(self, why: str, *, kill: bool) -> None:
        """The first reason stays; a kill does too."""
        self.kill = self.kill or kill
        self.why = why if self.why is None else self.why

    def withdrawn(self) -> Outcome:
        """What becomes of an attempt that was to stop before it began."""
        return Outcome(ReportStatus.CANCELLED, f"stopped before it began: {self.why}")


class Settling:
    """A start that the engine did not answer: it may come about yet, or have come and gone unseen.

    Seen with Podman, which may forget what it began for somebody who is gone.
    """

    def __init__(self) -> None:
        self._until: Deadline | None = None

    def look(self) -> Ended | None:
        """That it is over, once an engine that answers again has not begun it for a while."""
        if self._until is None:
            self._until = Deadline.after(SETTLES)
        if not self._until.over:
            return None
        # Not to be tried again: it may have run, or do so until its container is removed.
        why = "the engine did not answer when it was to start it: it may have run"
        return Ended(None, why, ReportStatus.INTERRUPTED)


class Watch:
    """One process, from its start to its end."""

    def __init__(self, process: Process, wire: Wire | None, job: Job, wish: Wish) -> None:
        self._process = process
        self._wire = wire
        self._job = job
        self._wish = wish
        self._until = None if job.timeout is None else Deadline.after(job.timeout)
        self._next_look = Deadline.after(LOOK_CLOSELY)
        self._next_signal = Deadline.after(0)
        self._next_listen = Deadline.after(AGAIN)
        self._forced: ReportStatus | None = None
        self._why = ""
        self._grace: Deadline | None = None
        self._doubt: Deadline | None = None
        self._pause = AGAIN
        self._asked = self._killed = self._told = False

    def to_its_end(self) -> Outcome:
        """Return once it is known that it has ended, or cannot be waited for any longer."""
        try:
            while True:
                self._hear()
                self._press()
                ended = self._look()
                if ended is not None:
                    self._hear_the_rest()
                    return self._outcome(ended)
                if self._doubt is not None and self._doubt.over:
                    self._say_doubt()
                    if self._wish.kill:
                        return self._given_up()
        finally:
            self._hang_up()

    def _hear(self) -> None:
        if self._wire is None:
            pause(TICK)
            self._listen_again()
            return
        data = self._wire.read(TICK)
        if data is None:
            self._hang_up()
            self._next_look = Deadline.after(0)
        elif data:
            self._job.output.write(data)

    def _listen_again(self) -> None:
        if self._next_listen.over:
            self._next_listen = Deadline.after(AGAIN)
            try:
                self._wire = self._process.listen()
            except EngineFault as fault:
                log.debug("%s cannot be heard: %s", self._job.order.run, fault)

    def _hang_up(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None
            self._next_listen = Deadline.after(AGAIN)

    def _press(self) -> None:
        """Have it end, if it is time for that."""
        if self._forced is None:
            self._decide_to_end()
        if self._forced is None or self._grace is None:
            return
        kill = self._wish.kill or self._grace.over
        if (kill or not self._asked) and (self._next_signal.over or (kill and not self._killed)):
            self._signal(KILL if kill else ASK)

    def _decide_to_end(self) -> None:
        if self._wish.why is not None:
            self._forced, self._why = ReportStatus.CANCELLED, self._wish.why
        elif self._until is not None and self._until.over:
            self._forced = ReportStatus.TIMEOUT
            self._why = f"it took longer than {self._job.timeout:g} s"
        else:
            return
        self._grace = Deadline.after(self._job.grace)
        self._next_look = Deadline.after(0)

    def _signal(self, name: str) -> None:
        if name == KILL and not self._killed:
            self._killed = True
            self._doubt = Deadline.after(DOUBT)
        self._next_signal = Deadline.after(self._pause)
        try:
            reached = self._process.signal(name)
        except EngineFault as fault:
            log.warning("%s could not be sent %s: %s", self._job.order.run, name, fault)
            return
        self._asked = True
        if not reached:
            self._doubt = Deadline.after(0)
        if name == KILL:
            # What a kill does not end is not ended by many of them either.
            self._pause = min(2 * self._pause, AGAIN_AT_MOST)

    def _look(self) -> Ended | None:
        if not self._next_look.over:
            return None
        close = self._wire is None or self._forced is not None
        self._next_look = Deadline.after(LOOK_CLOSELY if close else LOOK)
        try:
            return self._process.look()
        except EngineFault as fault:
            log.debug("nothing is known of %s: %s", self._job.order.run, fault)
            self._next_look = Deadline.after(AGAIN)
            return None

    def _say_doubt(self) -> None:
        if self._told:
            return
        self._told = True
        text = "it was to be ended, and it cannot be confirmed that it has; it counts as running"
        log.error("%s: %s", self._job.order.run, text)
        self._job.output.write(f"\n[horae: {self._why}; {text}]\n".encode())

    def _given_up(self) -> Outcome:
        """The runner itself ends: then nobody is left who could see it, and nobody says it runs."""
        why = "it may go on, and its runner does not"
        return Outcome(ReportStatus.INTERRUPTED, _joined(self._why, why))

    def _hear_the_rest(self) -> None:
        most = Deadline.after(_REST_AT_MOST)
        while self._wire is not None and not most.over:
            data = self._wire.read(_REST)
            if not data:
                break
            self._job.output.write(data)

    def _outcome(self, ended: Ended) -> Outcome:
        code = ended.exit_code
        if self._forced is None:
            plain = ReportStatus.SUCCESS if code == 0 else ReportStatus.FAILED
            how = "" if code in (0, None) else f"ended with {code}"
            return Outcome(ended.status or plain, _joined(how, ended.note), code)
        how = "asked to end and killed" if self._killed else "asked to end"
        late = "its end could be confirmed only later" if self._told else ""
        return Outcome(self._forced, _joined(self._why, how, ended.note, late), code)


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
