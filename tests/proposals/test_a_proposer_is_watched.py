"""Does a daily proposer tell that it lives, and how its rounds ended?"""

from __future__ import annotations

from urllib.request import urlopen

import pytest

from horae.client import NoReply
from horae.local import ports
from horae.proposing.metrics import ProposerMetrics, served
from horae.proposing.rounds import Done, Finding
from horae.proposing.settings import ProposingSettings

WITHDRAWN = Finding("chat", None, withdraw="pp_1", why="it is busy")


def test_how_rounds_and_commands_ended_is_counted() -> None:
    metrics = ProposerMetrics()
    with metrics.round():
        pass
    with pytest.raises(ValueError, match="broken"), metrics.round():
        raise ValueError("broken")
    metrics.note([Done(WITHDRAWN, NoReply(0, 7, 10.0)), Done(Finding("idle", None), None)])

    def count(name: str, **labels: str) -> float | None:
        return metrics.registry.get_sample_value(name, labels)

    assert count("horae_proposer_rounds_total", outcome="done") == 1
    assert count("horae_proposer_rounds_total", outcome="failed") == 1
    asked = {"command": "withdraw", "verdict": "no reply"}
    assert count("horae_proposer_commands_total", **asked) == 1


def test_it_is_well_as_long_as_it_answers() -> None:
    port = ports.choose()
    with served(ProposerMetrics(), ProposingSettings(proposer_port=port)):
        with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            assert answer.status == 200
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            assert b"horae_proposer_rounds" in answer.read()


def test_without_a_port_nothing_is_served() -> None:
    with served(ProposerMetrics(), ProposingSettings()):
        pass
