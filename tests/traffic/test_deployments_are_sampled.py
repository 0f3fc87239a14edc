"""Is each deployment looked at in time, whatever the others, the views and its own server do?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from schemas.actions import Setting
from schemas.codec import decode_as
from schemas.commands import ReportActivity
from schemas.deployments import Metrics
from schemas.identity import partition_of
from schemas.reading import read_command
from schemas.reading_traffic import read_sample
from schemas.topics import COMMANDS, SAMPLES
from schemas.traffic import Sample
from streams.clock import SystemClock
from streams.scrape import Counts
from streams.traffic.counting import Counting
from streams.traffic.keeping import Letter
from streams.traffic.looking import MOST_BYTES, Looker, NoLook
from streams.traffic.metrics import SamplerMetrics
from streams.traffic.sampler import Sampler, Sampling, Watched, place_of
from streams.traffic.settings import SamplerSettings
from tests.traffic.pages import Page, served, silent

LOOPBACK = "http://127.0.0.1:*/"


def settings(**given: object) -> SamplerSettings:
    usual = {"interval": 1.0, "timeout": 0.5, "refresh": 0.1, "allow_urls": LOOPBACK}
    return SamplerSettings.model_validate(usual | given)


@dataclass(slots=True)
class Samplers:
    """One that runs, and what it said."""

    listed: list[Watched]
    letters: list[Letter] = field(default_factory=list)
    metrics: SamplerMetrics = field(default_factory=SamplerMetrics)
    views_away: bool = False

    def ask(self) -> Iterable[Watched]:
        if self.views_away:
            raise ConnectionError("no database")
        return list(self.listed)

    def samples(self, subject: str) -> list[Sample]:
        return [
            read_sample(letter.key, letter.value)[1]
            for letter in self.letters
            if letter.topic == SAMPLES and letter.key == subject.encode()
        ]

    def activities(self, subject: str) -> list[ReportActivity]:
        key = f"{subject}/#activity".encode()
        found = [letter for letter in self.letters if letter.key == key]
        assert all(letter.topic == COMMANDS for letter in found)
        return [decode_as(letter.value or b"", ReportActivity) for letter in found]

    def looks(self, outcome: str) -> float:
        return float(self.metrics.looks.labels(outcome)._value.get())


@asynccontextmanager
async def running(one: Samplers, **given: object) -> AsyncIterator[None]:
    chosen = settings(**given)
    stopping = asyncio.Event()
    async with Looker(chosen, {}) as looker:
        sampling = Sampling(chosen, one.ask, one.letters.append, 4, SystemClock(), one.metrics)
        task = asyncio.create_task(Sampler(sampling, looker).run(stopping))
        try:
            yield
        finally:
            stopping.set()
            await task


async def until(holds: Callable[[], object], within: float = 10.0) -> None:
    async with asyncio.timeout(within):
        while not holds():
            await asyncio.sleep(0.01)


def watched(subject: str, url: str, usual: int | None = None) -> Watched:
    return Watched(subject, Metrics(url), usual=usual)


def test_a_look_goes_to_the_samples_and_into_the_inbox() -> None:
    async def play() -> Samplers:
        with served(Page(running=2, waiting=1, finished=7, seconds=3.5)) as page:
            one = Samplers([watched("chat", page.url, usual=5_000)])
            async with running(one):
                await until(lambda: one.samples("chat"))
                page.running, page.finished, page.seconds = 0, 9, 4.5
                await until(lambda: len(one.activities("chat")) > 1)
            return one

    one = asyncio.run(play())

    first, second = one.samples("chat")[:2]
    assert (first.in_flight, first.waiting, first.finished) == (2, 1, None)
    assert (second.in_flight, second.finished, second.micros) == (0, 2, 1_000_000)
    begun, after = one.activities("chat")[:2]
    assert (begun.in_flight, begun.waiting, begun.served, begun.usual) == (2, 1, 7, 5_000)
    assert begun.sampled_at == begun.last_request == first.sampled_at
    assert (after.served, after.last_request) == (9, second.sampled_at)
    homes = {letter.partition for letter in one.letters}
    assert homes == {partition_of("chat", 4)}
    key, value = next((x.key, x.value) for x in one.letters if x.topic == COMMANDS)
    assert read_command(key, value) == ("chat/", begun)


def test_slow_and_dead_ones_hold_up_nobody() -> None:
    async def play() -> Samplers:
        with ExitStack() as stack:
            page = stack.enter_context(served(Page()))
            dead = [stack.enter_context(silent()) for _ in range(12)]
            gone = "http://127.0.0.1:1/metrics"
            others = [watched(f"dead-{n}", url) for n, url in enumerate([*dead, gone])]
            one = Samplers([*others, watched("chat", page.url)])
            async with running(one, at_once=8):
                await until(lambda: one.looks("timeout") > 8, 30)
                before = len(one.samples("chat"))
                await until(lambda: len(one.samples("chat")) >= before + 3, 8)
            return one

    one = asyncio.run(play())

    assert one.looks("timeout")
    assert one.looks("unreachable")
    assert not [letter for letter in one.letters if b"dead" in (letter.key or b"")]


def test_those_that_are_new_begin_and_those_that_are_gone_end() -> None:
    async def play() -> None:
        with served(Page()) as chat, served(Page()) as code:
            one = Samplers([watched("chat", chat.url)])
            async with running(one):
                await until(lambda: one.samples("chat"))
                one.listed = [watched("code", code.url)]
                await until(lambda: one.samples("code"))
                seen = len(chat.asked)
                await until(lambda: len(code.asked) > 3)
                assert len(chat.asked) <= seen + 1

    asyncio.run(play())


def test_while_the_views_are_away_the_last_list_stays() -> None:
    async def play() -> None:
        with served(Page()) as page:
            one = Samplers([watched("chat", page.url)])
            async with running(one):
                await until(lambda: one.samples("chat"))
                one.views_away = True
                seen = len(one.samples("chat"))
                await until(lambda: len(one.samples("chat")) > seen + 1)

    asyncio.run(play())


def test_views_that_are_away_from_the_start_are_waited_for() -> None:
    async def play() -> None:
        with served(Page()) as page:
            one = Samplers([watched("chat", page.url)], views_away=True)
            async with running(one):
                await asyncio.sleep(0.3)
                one.views_away = False
                await until(lambda: one.samples("chat"))

    asyncio.run(play())


def look(metrics: Metrics, environ: Mapping[str, str] | None = None, **given: object) -> object:
    async def ask() -> object:
        async with Looker(settings(**given), environ or {}) as looker:
            return await looker.look(metrics)

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("page", "outcome"),
    [
        (Page(status=500), "refused"),
        (Page(status=302), "refused"),
        (Page(body="<html>"), "unreadable"),
        (Page(body="vllm:num_requests_waiting 1\n"), "unreadable"),
        (Page(body="x" * (MOST_BYTES + 1)), "unreadable"),
        (Page(slow=5.0), "timeout"),
    ],
    ids=["an error", "a redirect", "no page of metrics", "without the numbers", "endless", "slow"],
)
def test_what_shows_nothing_is_told_by_one_word(page: Page, outcome: str) -> None:
    with served(page), pytest.raises(NoLook) as told:
        look(Metrics(page.url))

    assert told.value.outcome == outcome


def test_only_addresses_that_the_settings_name_are_asked() -> None:
    with served(Page()) as page, pytest.raises(NoLook, match="HORAE_SAMPLER_ALLOW_URLS") as told:
        look(Metrics(page.url), allow_urls="")

    assert told.value.outcome == "not_allowed"
    assert page.asked == []


def test_headers_refer_to_secrets_that_the_settings_name(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from a file\n")
    headers = (
        Setting("authorization", secret="env:METRICS_TOKEN"),  # noqa: S106 - no secret
        Setting("x-key", secret=f"file:{tmp_path}/key"),
        Setting("x-plain", "plain"),
    )
    allowed = f"env:METRICS_*,file:{tmp_path}/*"
    with served(Page()) as page:
        look(Metrics(page.url, headers), {"METRICS_TOKEN": "Bearer t"}, allow_secrets=allowed)
        asked = {name.lower(): value for name, value in page.asked[0].items()}
        assert asked["authorization"] == "Bearer t"
        assert (asked["x-key"], asked["x-plain"]) == ("from a file", "plain")

        with pytest.raises(NoLook, match="HORAE_SAMPLER_ALLOW_SECRETS"):
            look(Metrics(page.url, headers), {"METRICS_TOKEN": "Bearer t"})
        with pytest.raises(NoLook, match="METRICS_TOKEN is not set"):
            look(Metrics(page.url, headers), allow_secrets=allowed)
        assert len(page.asked) == 1


def test_each_has_an_instant_of_its_own() -> None:
    places = sorted(place_of(f"model-{n}") for n in range(1_000))

    assert places[0] >= 0
    assert places[-1] < 1
    tenths = [sum(1 for place in places if int(place * 10) == tenth) for tenth in range(10)]
    assert min(tenths) > 60


@pytest.mark.parametrize("value", ["sesame\nX-Other: 1", "ses\x01ame"])
def test_a_secret_that_no_header_can_hold_is_not_told(value: str) -> None:
    async def play(url: str) -> NoLook:
        metrics = Metrics(url, (Setting("authorization", "", "env:KEY"),))
        async with Looker(settings(allow_secrets="env:*"), {"KEY": value}) as looker:
            with pytest.raises(NoLook) as caught:
                await looker.look(metrics)
        return caught.value

    with served(Page()) as page:
        fault = asyncio.run(play(page.url))

    assert fault.outcome == "not_allowed"
    assert "authorization" in str(fault)
    assert "ses" not in str(fault)
    assert page.asked == []


def test_one_of_which_nothing_can_be_told_is_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever failed once, such as a number that no record holds, does not end its looks."""
    told = Counting.look
    failing = [True]

    def look(counting: Counting, at: int, counts: Counts) -> Sample:
        if failing:
            raise OverflowError(failing.pop())
        return told(counting, at, counts)

    monkeypatch.setattr(Counting, "look", look)

    async def play() -> Samplers:
        with served(Page(running=1)) as page:
            one = Samplers([watched("chat", page.url)])
            async with running(one):
                await until(lambda: one.samples("chat"))
            return one

    one = asyncio.run(play())

    assert one.looks("failed") == 1
    assert one.samples("chat")[0].in_flight == 1
