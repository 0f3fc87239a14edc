"""The limits of a subject are read from the environment of partition 0's owner, leniently."""

from __future__ import annotations

import logging

import pytest

from streams.settings import ProcessorSettings


@pytest.mark.parametrize("prefix", ["HORAE_JOBS", "APP_JOBS"])
def test_both_names_are_read(monkeypatch: pytest.MonkeyPatch, prefix: str) -> None:
    monkeypatch.setenv(f"{prefix}_MAX_PER_APP", "20")
    monkeypatch.setenv(f"{prefix}_MAX_CONCURRENT_PER_APP", "3")

    settings = ProcessorSettings()

    assert (settings.max_per_app, settings.max_concurrent_per_app) == (20, 3)


@pytest.mark.parametrize("text", ["abc", "-1", "1.5", ""])
def test_what_is_no_limit_is_none_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    monkeypatch.setenv("HORAE_JOBS_MAX_CONCURRENT_PER_APP", text)

    with caplog.at_level(logging.WARNING):
        settings = ProcessorSettings()

    assert settings.max_concurrent_per_app == 0
    assert repr(text) in caplog.text
