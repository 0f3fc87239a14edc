"""Limits are read from the environment of partition 0's owner, leniently, and hold for everyone."""

from __future__ import annotations

import logging

import pytest

from schemas.codec import decode_as
from schemas.definition import HOUR, MINUTE, SECOND
from schemas.globals import GlobalSettings
from schemas.topics import GLOBALS
from streams.decider.worldview import summary
from streams.processor.announcing import publish_limits
from streams.processor.batch import Batch
from streams.settings import ProcessorSettings, RunnerSettings
from tests.processor.desk import Desk, Written, writing_into


@pytest.mark.parametrize("prefix", ["HORAE_JOBS", "APP_JOBS"])
def test_both_names_are_read(monkeypatch: pytest.MonkeyPatch, prefix: str) -> None:
    given = {
        "MAX_PER_APP": "20", "MAX_CONCURRENT_PER_APP": "3", "MAX_RETRIES": "4",
        "DEFAULT_TIMEOUT": "5m", "RETRY_BACKOFF": "90", "RETRY_BACKOFF_MAX": "1.5",
        "CATCH_UP_LOOKBACK": "24h",
    }  # fmt: skip
    for name, value in given.items():
        monkeypatch.setenv(f"{prefix}_{name}", value)

    settings = ProcessorSettings()

    assert (settings.max_per_app, settings.max_concurrent_per_app) == (20, 3)
    assert settings.max_retries == 4
    assert (settings.default_timeout, settings.retry_backoff) == (300.0, 90.0)
    assert (settings.retry_backoff_max, settings.catch_up_lookback) == (1.5, 86_400.0)


@pytest.mark.parametrize("text", ["abc", "-1", "1.5", "", "0"])
def test_what_is_no_limit_is_none_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    monkeypatch.setenv("HORAE_JOBS_MAX_CONCURRENT_PER_APP", text)

    with caplog.at_level(logging.WARNING):
        settings = ProcessorSettings()

    assert settings.max_concurrent_per_app == 0
    assert repr(text) in caplog.text


@pytest.mark.parametrize("text", ["abc", "-1", "-5m", "", "0", "1M", "5 minutes", "nan", "inf"])
def test_what_is_no_length_of_time_is_none_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    monkeypatch.setenv("APP_JOBS_CATCH_UP_LOOKBACK", text)

    with caplog.at_level(logging.WARNING):
        settings = ProcessorSettings()

    assert settings.catch_up_lookback == 0
    assert repr(text) in caplog.text


def test_what_makes_no_sense_falls_back_each_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """AJ-062, as far as processors and runners are concerned: they start all the same."""
    monkeypatch.setenv("APP_JOBS_DEFAULT_TIMEOUT", "5m")
    monkeypatch.setenv("APP_JOBS_MAX_RETRIES", "-1")
    monkeypatch.setenv("APP_JOBS_MAX_OUTPUT_BYTES", "0")

    with caplog.at_level(logging.WARNING):
        settings, runner = ProcessorSettings(), RunnerSettings()

    assert settings.default_timeout == 300.0
    assert (settings.max_retries, settings.catch_up_lookback) == (0, 0.0)
    assert runner.max_output_bytes == 64 * 1024
    warned = [one.getMessage() for one in caplog.records]
    assert len(warned) == 2
    assert "'-1'" in warned[0]
    assert "'0'" in warned[1]


def test_they_are_published_once_for_all_processors() -> None:
    settings = ProcessorSettings(  # type: ignore[call-arg]
        HORAE_JOBS_DEFAULT_TIMEOUT="5m",
        HORAE_JOBS_MAX_RETRIES="4",
        HORAE_JOBS_RETRY_BACKOFF="10s",
        HORAE_JOBS_RETRY_BACKOFF_MAX="1m",
        HORAE_JOBS_CATCH_UP_LOOKBACK="2h",
    )

    limits = _published(settings, Desk())

    assert limits == GlobalSettings(
        ("*",), limits.at, 1, 0, 0, 5 * MINUTE, 4, 10 * SECOND, MINUTE, 2 * HOUR
    )
    assert summary(limits) == (
        "emit may write to *, an attempt may take PT5M, the next one waits at least PT10S, and at"
        " most PT1M, nothing late runs after PT2H, a run has 4 further attempts at most"
    )


class _Known:
    """What a processor knows of horae.globals."""

    def __init__(self, desk: Desk) -> None:
        self.world = desk.world
        self.published_at = 0


def _published(settings: ProcessorSettings, desk: Desk) -> GlobalSettings:
    """What goes into horae.globals; once it is in force, nothing more does."""
    written: list[Written] = []
    found: list[Written] = []
    for _ in range(2):
        batch = Batch(desk.world, desk.now, writing_into(written), 1)
        publish_limits(batch, desk.partition, _Known(desk), settings)  # type: ignore[arg-type]
        found = [one for one in written if one.topic == GLOBALS]
        assert len(found) == 1
        desk.tell("settings", decode_as(found[0].value or b"", GlobalSettings))
    return decode_as(found[0].value or b"", GlobalSettings)
