"""What a person says of a deployment is what was meant, comes back, or is refused by its field."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from schemas.actions import Setting
from schemas.codec import encode
from schemas.commands import DefineDeployment
from schemas.deployment_limits import MAX_DEPLOYMENT_BYTES, check_deployment
from schemas.deployments import (
    Call,
    ContainerDriver,
    Deployment,
    Driver,
    HttpDriver,
    Metrics,
    Vllm,
)
from schemas.deployments_json import deployment_json
from schemas.faults import FieldFault, TooLarge
from schemas.reading import read_command
from schemas.reading_deployments import read_deployment
from tests.schemas.drawn_deployments import deployments

URL = "http://10.0.0.5:8000"
SECRET = {"Authorization": {"secret": "env:API_TOKEN"}}
HEADERS = (Setting("Authorization", "", "env:API_TOKEN"),)

WRITTEN: dict[str, tuple[dict[str, Any], Deployment]] = {
    "a server alone": ({"vllm": URL}, Deployment(Vllm(URL))),
    "a server with all there is": (
        {
            "vllm": {"url": URL, "headers": SECRET, "level": 2, "start": ["up"], "stop": ["down"]},
            "priority": 90,
            "zone": "Europe/Berlin",
            "metrics": {"url": URL + "/metrics?x=1", "headers": SECRET, "finished": "done_total"},
            "pool": "gpu-1",
        },
        Deployment(
            Vllm(URL, HEADERS, 2, None, ("up",), ("down",)),
            *(90, "Europe/Berlin"),
            Metrics(URL + "/metrics?x=1", HEADERS, finished="done_total"),
            "gpu-1",
        ),
    ),
    "a server in a container": (
        {"vllm": {"url": URL, "container": "llama-1"}},
        Deployment(Vllm(URL, container="llama-1")),
    ),
    "a control plane alone": ({"http": URL}, Deployment(HttpDriver(URL))),
    "a control plane with all there is": (
        {
            "http": {
                "url": URL,
                "headers": SECRET,
                "sleep": {"path": "/sleep", "method": "PUT", "body": {"level": 1}},
                "stop": "/stop",
                "wake": "/wake?now=1",
                "start": {"path": "/start", "body": "go"},
                "fits": "/fits",
                "state": "/status",
                "state_at": "/data/state",
            }
        },
        Deployment(
            HttpDriver(
                URL,
                HEADERS,
                sleep=Call("/sleep", "PUT", '{"level":1}'),
                stop=Call("/stop"),
                wake=Call("/wake?now=1"),
                start=Call("/start", "POST", "go"),
                fits=Call("/fits", "GET"),
                state=Call("/status", "GET"),
                state_at="/data/state",
            )
        ),
    ),
    "a call that is none": (
        {"http": {"url": URL, "wake": None}, "metrics": None, "pool": None},
        Deployment(HttpDriver(URL)),
    ),
    "a question by POST": (
        {"http": {"url": URL, "state": {"path": "/q", "method": "post"}}},
        Deployment(HttpDriver(URL, state=Call("/q", "POST"))),
    ),
    "a container by its label": ({"container": True}, Deployment(ContainerDriver())),
    "a container by its name": ({"container": "llama"}, Deployment(ContainerDriver("llama"))),
    "a container in an object": (
        {"container": {"name": "llama"}},
        Deployment(ContainerDriver("llama")),
    ),
    "metrics alone": (
        {"container": True, "metrics": URL + "/metrics"},
        Deployment(ContainerDriver(), metrics=Metrics(URL + "/metrics")),
    ),
}


@pytest.mark.parametrize(("written", "meant"), WRITTEN.values(), ids=WRITTEN.keys())
def test_each_form_that_a_person_writes_is_read(written: dict[str, Any], meant: Deployment) -> None:
    assert read_deployment(written) == meant
    assert read_deployment(deployment_json(meant)) == meant
    value = json.dumps(written).encode()
    assert read_command(b"llama/#deployment", value) == ("llama/", DefineDeployment(meant))


@given(deployment=deployments)
def test_a_deployment_comes_back_from_its_json(deployment: Deployment) -> None:
    shown = deployment_json(deployment)

    assert read_deployment(json.loads(json.dumps(shown))) == deployment
    assert deployment_json(read_deployment(shown)) == shown


def test_what_is_usual_is_not_written() -> None:
    assert deployment_json(Deployment(Vllm(URL), metrics=Metrics(URL))) == {
        "vllm": URL,
        "metrics": URL,
    }


def test_the_value_of_a_secret_is_in_no_json() -> None:
    found = deployment_json(read_deployment({"vllm": {"url": URL, "headers": SECRET}}))

    assert found == {"vllm": {"url": URL, "headers": SECRET}}


def refused(call: Callable[[], object]) -> FieldFault:
    with pytest.raises(FieldFault) as caught:
        call()
    return caught.value


IN_JSON: dict[str, tuple[dict[str, Any], str, str]] = {
    "nothing": ({}, "", "needs one of vllm, http, container"),
    "two drivers": ({"vllm": URL, "container": True}, "container", "not together with vllm"),
    "an unknown field": ({"vllm": URL, "prio": 1}, "prio", "no such field"),
    "a misspelt driver": ({"vlm": URL}, "vlm", "did you mean vllm?"),
    "no container": ({"container": False}, "container", "must be true, the name of a container"),
    "a container by number": ({"container": 7}, "container", "must be true, the name"),
    "no url": ({"vllm": {"level": 1}}, "vllm.url", "is missing"),
    "a line to start": (
        {"vllm": {"url": URL, "start": "up now"}},
        *("vllm.start", "no shell takes a line apart"),
    ),
    "a call that is a number": (
        {"http": {"url": URL, "wake": 1}},
        "http.wake",
        "with path, method",
    ),
    "a body that is a number": (
        {"http": {"url": URL, "wake": {"path": "/w", "body": 1}}},
        *("http.wake.body", "must be a text, an object or a list"),
    ),
    "a priority in words": ({"vllm": URL, "priority": "high"}, "priority", "a whole number"),
    "a secret written out": (
        {"vllm": {"url": URL, "headers": {"A": {"value": "x"}}}},
        *("vllm.headers.A.value", "no such field"),
    ),
}


@pytest.mark.parametrize(("written", "field", "message"), IN_JSON.values(), ids=IN_JSON.keys())
def test_what_is_wrong_in_json_is_named(written: dict[str, Any], field: str, message: str) -> None:
    fault = refused(lambda: read_deployment(written))

    assert fault.field == field
    assert message in fault.message


def _vllm(**fields: Any) -> Deployment:
    return Deployment(replace(Vllm(URL), **fields))


def _call(call: Call) -> Deployment:
    return Deployment(HttpDriver(URL, wake=call))


PLAIN = Deployment(Vllm(URL))
IN_AVRO: dict[str, tuple[Deployment, str, str]] = {
    "no url": (_vllm(url=""), "vllm.url", "blank"),
    "another scheme": (_vllm(url="ftp://a"), "vllm.url", "a url like https://"),
    "a password in a url": (_vllm(url="http://u:p@a"), "vllm.url", "no user and no password"),
    "a template": (_vllm(url=URL + "/{subject}"), "vllm.url", "nothing is filled in here"),
    "a query in a url": (_vllm(url=URL + "?a=b"), "vllm.url", "no ? and no #"),
    "a fragment in a url": (Deployment(HttpDriver(URL + "#a")), "http.url", "no ? and no #"),
    "a space in a url": (_vllm(url=URL + "/a b"), "vllm.url", "no space"),
    "a header of ours": (
        _vllm(headers=(Setting("Host", "x"),)),
        *("vllm.headers.Host", "set by the runner"),
    ),
    "a header of two lines": (
        _vllm(headers=(Setting("A", "a\r\nB: c"),)),
        *("vllm.headers.A", "no control character"),
    ),
    "a secret of no kind": (
        _vllm(headers=(Setting("A", "", "vault:x"),)),
        *("vllm.headers.A.secret", "env:NAME"),
    ),
    "a third level": (_vllm(level=3), "vllm.level", "must be 1 or 2, not 3"),
    "a container of two words": (_vllm(container="a b"), "vllm.container", "not 'a b'"),
    "a container and a program": (
        _vllm(container="a", stop=("x",)),
        *("vllm.stop", "not together with container"),
    ),
    "a blank program": (_vllm(start=(" ",)), "vllm.start[0]", "blank"),
    "a path without a slash": (_call(Call("wake")), "http.wake.path", "must begin with /"),
    "a blank path": (_call(Call("")), "http.wake.path", "blank"),
    "a path with a space": (_call(Call("/a b")), "http.wake.path", "no space"),
    "a path with a template": (_call(Call("/{run}")), "http.wake.path", "brace"),
    "an unknown method": (_call(Call("/a", "BREW")), "http.wake.method", "one of GET, HEAD"),
    "a body with NUL": (_call(Call("/a", body="\0")), "http.wake.body", "NUL"),
    "a body too long": (_call(Call("/a", body="x" * 32_769)), "http.wake.body", "32768 bytes"),
    "a pointer to nothing": (
        Deployment(HttpDriver(URL, state_at="state")),
        *("http.state_at", "a JSON pointer"),
    ),
    "a container's name": (Deployment(ContainerDriver("-a")), "container", "the first no sign"),
    "a priority below": (replace(PLAIN, priority=-1), "priority", "from 0 to 100, not -1"),
    "a priority above": (replace(PLAIN, priority=101), "priority", "from 0 to 100, not 101"),
    "no zone": (replace(PLAIN, zone=" "), "zone", "must not be empty"),
    "a zone without end": (replace(PLAIN, zone="A" * 513), "zone", "512 bytes at most"),
    "metrics by ftp": (replace(PLAIN, metrics=Metrics("ftp://a")), "metrics.url", "a url like"),
    "a metric without name": (
        replace(PLAIN, metrics=Metrics(URL, waiting="")),
        *("metrics.waiting", "blank"),
    ),
    "a header of metrics": (
        replace(PLAIN, metrics=Metrics(URL, (Setting("A B"),))),
        *("metrics.headers.A B", "name of a header"),
    ),
    "a pool that is no topic": (replace(PLAIN, pool="a b"), "pool", "not 'a b'"),
}


@pytest.mark.parametrize(("deployment", "field", "message"), IN_AVRO.values(), ids=IN_AVRO.keys())
def test_what_is_wrong_in_avro_is_named_alike(
    deployment: Deployment, field: str, message: str
) -> None:
    value = encode(DefineDeployment(deployment))

    fault = refused(lambda: read_command(b"llama/#deployment", value))

    assert fault.field == field
    assert message in fault.message


@pytest.mark.parametrize(
    "driver",
    [
        HttpDriver(URL, headers=tuple(Setting(f"X-{i}", "x" * 30_000) for i in range(3))),
        Vllm(URL, start=tuple("x" * 30_000 for _ in range(3))),
    ],
)
def test_a_deployment_is_no_larger_than_an_order_can_carry(driver: Driver) -> None:
    with pytest.raises(TooLarge, match=f"{MAX_DEPLOYMENT_BYTES} bytes at most"):
        check_deployment(Deployment(driver))
