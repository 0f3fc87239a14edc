"""
Does a deployment sleep when nobody needs it, at times that were measured, and never against anyone?

Every program of an installation, as real processes: broker, database, processor, runner, sampler,
Faust worker, projector, proposer, and a server that sleeps like vLLM, under one clock that is put
forward. Weeks of traffic are leapt over, the hours that matter are lived: seconds of real time,
with the sampler looking at the server's real requests.

The clock: libfaketime for the broker and the database, which Java and Postgres take well. Not for
our own programs: the client of Kafka waits by a call that libfaketime does not know, and stands
still. They run as they are, but Python tells them the time of the same file (leapt.py). So all take
part in each leap, which a processor takes for an outage: nothing fires before a fresh probe has
answered, and what is late is late.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from schemas.deployments import DeploymentState
from schemas.events import Deferred, Fired, Reason, Skipped
from schemas.subject_events import DeploymentStateNoted
from schemas.units import MINUTE
from tests.acceptance.leaping import need_library
from tests.acceptance.nights import ADMIN, ZONE, Nights, at_local, nights_from
from tests.acceptance.sleeper import Sleeper, made_in
from tests.processor.cluster import await_that
from tests.proposals.played_endpoint import decided, playing

pytestmark = pytest.mark.broker

LLAMA, MISTRAL = "llama", "mistral"
BEGINS = datetime(2027, 1, 4, tzinfo=ZONE)
"""A Monday, and no night of change for weeks."""
ASLEEP, RUNNING, STOPPED = (
    DeploymentState.ASLEEP,
    DeploymentState.RUNNING,
    DeploymentState.STOPPED,
)
Noted = tuple[DeploymentState, str | None]


@pytest.fixture
def nights() -> Iterator[Nights]:
    need_library()
    with nights_from(BEGINS) as found:
        yield found


@pytest.fixture
def sleeper(nights: Nights) -> Iterator[Sleeper]:
    found = made_in(nights.folder)
    found.start()
    yield found
    found.stop()


def by_day(at: datetime) -> int:
    """Requests from 8:00 until shortly before 22:00, on working days."""
    return 30 if at.weekday() < 5 and at.hour >= 8 and (at.hour, at.minute) < (21, 40) else 0


def never_quiet(at: datetime) -> int:
    """A few in each hour of a night, too."""
    return by_day(at) or (1 if at.minute % 20 == 0 else 0)


def has_weeks(nights: Nights, weeks: int, *subjects: str) -> None:
    """It is half past eleven on a Monday, and all that was seen in these weeks is counted."""
    first = nights.told
    nights.leap_to(11, 30, days=7 * weeks)
    for subject in subjects:
        nights.await_profile(subject, (nights.told - first) // nights.looks_every)


def accepted(nights: Nights) -> str:
    """The id of the one thing that is proposed at noon, once an admin has accepted it."""
    nights.leap_to(12)
    await_that(lambda: nights.proposals(LLAMA), "it is proposed", 60)
    [proposal] = nights.proposals(LLAMA)
    assert not nights.cluster.events(Fired)
    nights.horae("proposal", "accept", proposal.id, "--reason", "agreed")
    return proposal.id


def sleeps(nights: Nights, sleeper: Sleeper) -> None:
    """It does so in the minutes to come, and all is told before the clock leaps on."""
    nights.live(sleeper.is_asleep, "it sleeps")
    nights.await_state(LLAMA, ASLEEP)


def wakes(nights: Nights, sleeper: Sleeper) -> None:
    """It does so a quarter of an hour before the first request is due, and is used by day."""
    nights.leap_to(7, 45, days=1)
    assert sleeper.is_asleep()
    nights.live(sleeper.is_awake, "it is awake")
    nights.await_state(LLAMA, RUNNING)
    used_by_day(nights, sleeper)


def used_by_day(nights: Nights, sleeper: Sleeper) -> None:
    """From 8:00 on, until it is 21:40."""
    nights.leap_to(8)
    before = nights.deployment(LLAMA).served
    sleeper.dial(240)
    nights.live(lambda: nights.deployment(LLAMA).served != before, "its requests are seen")
    nights.leap_to(21, 40)
    sleeper.dial(0)
    nights.await_seen(LLAMA, sleeper)


def is_busy(nights: Nights, sleeper: Sleeper) -> None:
    """It is wanted at a time at which it never was: the live look decides, and says so."""
    sleeper.dial(240)
    nights.leap_to(22)
    nights.live(lambda: put_off(nights, " waiting; "), "its requests put it off")
    nights.live(lambda: put_off(nights, "abnormal traffic: "), "that is unusual")
    assert sleeper.is_awake()


def put_off(nights: Nights, why: str) -> list[str]:
    """The evidence of sleeps that were put off, where it says this."""
    found = [
        one.event.evidence or ""
        for one in nights.cluster.events(Deferred)
        if isinstance(one.event, Deferred) and one.event.reason is Reason.BUSY
    ]
    return [text for text in found if why in text]


def goes_quiet_and_sleeps(nights: Nights, sleeper: Sleeper) -> None:
    """Not at once: ten minutes after the last request."""
    sleeper.dial(0)
    quiet_at = nights.clock
    nights.await_seen(LLAMA, sleeper)
    nights.live(lambda: put_off(nights, "a request within PT10M; "), "it was not quiet for long")
    assert sleeper.is_awake()
    nights.leap_to(22, quiet_at.minute + 11)
    sleeps(nights, sleeper)
    since, noted = states(nights)[-1]
    assert noted[0] is ASLEEP
    assert since >= quiet_at + timedelta(minutes=10)


def is_stopped_by_a_person(nights: Nights, sleeper: Sleeper) -> None:
    nights.leap_to(23)
    sleeper.stop()
    nights.horae("deployment", "report", LLAMA, "stopped", "--detail", "new driver")
    nights.await_state(LLAMA, STOPPED)


def stays_stopped(nights: Nights, sleeper: Sleeper) -> None:
    """Its wake finds who stopped it, and leaves it alone."""
    nights.leap_to(7, 45, days=1)
    nights.live(lambda: refused(nights), "the wake is refused")
    assert not sleeper.is_there()
    nights.await_views()
    assert nights.deployment(LLAMA).state == STOPPED


def refused(nights: Nights) -> list[str]:
    """What is said of wakes that were left undone because of a person."""
    return [
        one.event.evidence or ""
        for one in nights.cluster.events(Skipped)
        if isinstance(one.event, Skipped) and one.event.reason is Reason.NOT_STOPPED_BY_SCHEDULE
    ]


def states(nights: Nights) -> list[tuple[datetime, Noted]]:
    """Which state it was in, by whose doing, and when that was decided."""
    return [
        (at_local(one.stamp.decided_at), (one.event.state, one.event.actor))
        for one in nights.cluster.events(DeploymentStateNoted)
        if isinstance(one.event, DeploymentStateNoted)
    ]


def fired(nights: Nights, schedule: str) -> list[str]:
    """The days of a schedule at whose instants it fired."""
    found = [fire for fire, _ in nights.cluster.fired() if fire.schedule == schedule]
    return [f"{at_local(fire.nominal):%a %H:%M}" for fire in found]


@pytest.mark.case("DP-059")
@pytest.mark.timeout(600)
def test_what_a_model_proposes_is_followed_by_night_unless_somebody_needs_it_or_stopped_it(
    nights: Nights, sleeper: Sleeper
) -> None:
    """DP-059 on real parts: the profile says idle, the live look says busy, and decides."""
    nights.looks_every = 2 * MINUTE
    nights.decide_and_do()
    nights.count()
    nights.register(LLAMA, sleeper)
    nights.rates[LLAMA] = by_day
    has_weeks(nights, 2, LLAMA)
    with playing(decided("propose", 0.9)) as model:
        nights.propose("12:00", HORAE_MODEL_URL=model.url, HORAE_MODEL_NAME="judge")
        await_that(lambda: "next round is at" in nights.last_words("proposer"), "it waits", 60)
        id_ = accepted(nights)
    nights.sample()

    is_busy(nights, sleeper)
    goes_quiet_and_sleeps(nights, sleeper)
    is_stopped_by_a_person(nights, sleeper)
    stays_stopped(nights, sleeper)

    sleep, wake = f"{LLAMA}/sleep-{id_}", f"{LLAMA}/wake-{id_}"
    assert [noted for _, noted in states(nights)] == [
        (ASLEEP, f"schedule:{sleep}"),
        (STOPPED, ADMIN),
    ]
    assert (fired(nights, sleep), fired(nights, wake)) == (["Mon 22:00"], [])
    assert ADMIN in refused(nights)[0]
    nights.horae("audit", "--from", BEGINS.isoformat())


@pytest.mark.chaos
@pytest.mark.case("DP-017", "DP-028", "DP-033", "DP-047")
@pytest.mark.timeout(1_200)
def test_a_week_is_lived_by_what_three_weeks_have_shown(nights: Nights, sleeper: Sleeper) -> None:
    """
    Four days and a weekend: quiet, busy, stopped by a person, used again.

    DP-017: busy until 22:25, asleep behind ten quiet minutes, one run. DP-028: stopped by a person,
    and not woken. DP-033: who did it stands beside each state. DP-047: idle from 22:00, first
    needed at 8:00: awake at 7:45.
    """
    nights.decide_and_do()
    nights.count()
    nights.propose("12:00")
    nights.register(LLAMA, sleeper)
    nights.register(MISTRAL, made_in(nights.folder), measured=False)
    nights.rates |= {LLAMA: by_day, MISTRAL: never_quiet}
    has_weeks(nights, 3, LLAMA, MISTRAL)
    id_ = accepted(nights)
    nights.sample()
    sleep, wake = f"{LLAMA}/sleep-{id_}", f"{LLAMA}/wake-{id_}"

    used_by_day(nights, sleeper)  # Monday
    nights.leap_to(22)
    sleeps(nights, sleeper)
    wakes(nights, sleeper)
    is_busy(nights, sleeper)  # Tuesday
    nights.leap_to(22, 25)
    assert sleeper.is_awake()
    goes_quiet_and_sleeps(nights, sleeper)
    wakes(nights, sleeper)
    nights.leap_to(22)  # Wednesday
    sleeps(nights, sleeper)
    is_stopped_by_a_person(nights, sleeper)
    stays_stopped(nights, sleeper)
    sleeper.start()  # Thursday
    nights.horae("deployment", "report", LLAMA, "running")
    used_by_day(nights, sleeper)
    nights.leap_to(22)
    sleeps(nights, sleeper)
    wakes(nights, sleeper)
    nights.leap_to(22)  # Friday
    sleeps(nights, sleeper)
    nights.leap_to(12, days=2)
    assert sleeper.is_asleep()
    wakes(nights, sleeper)  # Monday

    nights.await_views()
    assert [noted for _, noted in states(nights)] == [
        (ASLEEP, f"schedule:{sleep}"),
        (RUNNING, f"schedule:{wake}"),
        (ASLEEP, f"schedule:{sleep}"),
        (RUNNING, f"schedule:{wake}"),
        (ASLEEP, f"schedule:{sleep}"),
        (STOPPED, ADMIN),
        (RUNNING, ADMIN),
        (ASLEEP, f"schedule:{sleep}"),
        (RUNNING, f"schedule:{wake}"),
        (ASLEEP, f"schedule:{sleep}"),
        (RUNNING, f"schedule:{wake}"),
    ]
    woken = [at for at, noted in states(nights) if noted == (RUNNING, f"schedule:{wake}")]
    assert {(at.hour, at.minute >= 45) for at in woken} == {(7, True)}
    days = ("Mon", "Tue", "Wed", "Thu", "Fri")
    assert fired(nights, sleep) == [f"{day} 22:00" for day in days]
    assert fired(nights, wake) == [f"{day} 07:45" for day in ("Tue", "Wed", "Fri", "Mon")]
    [why] = refused(nights)
    assert ADMIN in why
    assert nights.proposals(MISTRAL) == []
    nights.horae("audit", "--from", BEGINS.isoformat())
