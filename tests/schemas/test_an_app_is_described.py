"""What the containers of an app are made of is read as it was meant, or refused by its field."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from schemas.actions import App, Setting, Volume
from schemas.app_limits import MAX_VOLUMES, check_app
from schemas.codec import encode
from schemas.commands import DefineApp
from schemas.faults import FieldFault
from schemas.reading import read_command
from schemas.reading_works import read_app
from schemas.work_limits import MAX_NAME_BYTES, MAX_WORD_BYTES
from schemas.works_json import app_json
from tests.schemas.drawn_works import apps

REFERENCE = "env:API_TOKEN"


def described(**fields: Any) -> App:
    return read_app({"image": "shop:1", **fields})


def refused(call: Callable[[], object]) -> FieldFault:
    with pytest.raises(FieldFault) as caught:
        call()
    return caught.value


def test_an_app_is_read_with_all_there_is() -> None:
    written = {
        "image": "shop:1.2",
        "container": "shop-1",
        "env": {"LANG": "C", "TOKEN": {"secret": REFERENCE}},
        "volumes": [
            {"source": "data", "target": "/data", "read_only": True},
            {"source": "/srv/in", "target": "/in"},
        ],
        "network": "backend",
        "user": "1000",
        "folder": "/app",
        "memory": "512MiB",
        "cpus": "0.5",
        "node": "node-1",
    }

    found = described(**written)

    assert found == App(
        "shop:1.2",
        "shop-1",
        (Setting("LANG", "C"), Setting("TOKEN", "", REFERENCE)),
        (Volume("data", "/data", read_only=True), Volume("/srv/in", "/in")),
        *("backend", "1000", "/app", 512 << 20, 500, "node-1"),
    )
    assert app_json(found) == written


@pytest.mark.parametrize(
    ("written", "size", "again"),
    [
        ("6MiB", 6 << 20, "6MiB"),
        ("1024MiB", 1 << 30, "1GiB"),
        ("8192KiB", 8 << 20, "8MiB"),
        ("2TiB", 2 << 40, "2TiB"),
        (8_000_001, 8_000_001, 8_000_001),
        (8_001_536, 8_001_536, "7814KiB"),
        (None, None, None),
    ],
)
def test_memory_is_read_in_units_of_1024(written: Any, size: int | None, again: Any) -> None:
    found = described(memory=written)

    assert found.memory == size
    assert app_json(found).get("memory") == again


@pytest.mark.parametrize(
    ("written", "thousandths", "again"),
    [
        ("0.5", 500, "0.5"),
        (2, 2000, "2"),
        (0.1, 100, "0.1"),
        ("10", 10_000, "10"),
        (1.25, 1250, "1.25"),
    ],
)
def test_processors_are_read_to_the_thousandth(written: Any, thousandths: int, again: str) -> None:
    found = described(cpus=written)

    assert found.cpus == thousandths
    assert app_json(found)["cpus"] == again


@given(app=apps)
def test_an_app_comes_back_from_its_json(app: App) -> None:
    text = json.dumps(app_json(app)).encode()

    assert read_command(b"shop/#app", text) == ("shop/", DefineApp(app))


def _with_volumes(*volumes: Volume) -> App:
    return App("shop:1", volumes=volumes)


APPS: dict[str, tuple[App, str, str]] = {
    "no image": (App(""), "image", "not empty"),
    "an image of two words": (App("a b"), "image", "the name of an image"),
    "an option for an image": (App("--privileged"), "image", "the name of an image"),
    "a container by a path": (App("a", "/x"), "container", "the first no sign"),
    "the network of another": (App("a", network="container:x"), "network", "the first no sign"),
    "a variable twice": (App("a", env=(Setting("A"), Setting("A"))), "env", "twice"),
    "a user of two words": (App("a", user="a b"), "user", "user:group"),
    "a folder nearby": (App("a", folder="x"), "folder", "full path"),
    "little memory": (App("a", memory=1), "memory", "from 6MiB"),
    "much memory": (App("a", memory=1 << 60), "memory", "to 1024TiB"),
    "no processor": (App("a", cpus=0), "cpus", "from 0.01"),
    "a node that is no pool": (App("a", node="a/b"), "node", "1 to 200"),
    "a volume without a source": (_with_volumes(Volume("", "/a")), "volumes[0].source", "blank"),
    "a volume from nearby": (_with_volumes(Volume("./a", "/a")), "volumes[0].source", "full path"),
    "a volume from above": (_with_volumes(Volume("/a/../b", "/a")), "volumes[0].source", "without"),
    "a volume with an option": (_with_volumes(Volume("/a:z", "/a")), "volumes[0].source", "full"),
    "a volume to nearby": (_with_volumes(Volume("a", "a")), "volumes[0].target", "full path"),
    "a volume over everything": (_with_volumes(Volume("a", "//")), "volumes[0].target", "not /"),
    "a volume to above": (_with_volumes(Volume("a", "/a/..")), "volumes[0].target", "without"),
    "one target twice": (
        _with_volumes(Volume("a", "/a"), Volume("b", "/a/")),
        *("volumes", "'/a' is there twice"),
    ),
    "too many volumes": (
        _with_volumes(*(Volume("a", f"/{i}") for i in range(MAX_VOLUMES + 1))),
        *("volumes", "100 entries at most"),
    ),
    "too much of all": (
        App("a", env=tuple(Setting(f"A{i}", "x" * MAX_WORD_BYTES) for i in range(8))),
        *("", "262144 bytes at most"),
    ),
    "an image too long": (App("x" * (MAX_NAME_BYTES + 1)), "image", "the name of an image"),
}


@pytest.mark.parametrize(("app", "field", "message"), APPS.values(), ids=APPS.keys())
def test_an_app_of_which_no_container_can_be_made_is_refused(
    app: App, field: str, message: str
) -> None:
    fault = refused(lambda: check_app(app))

    assert fault.field == field
    assert message in fault.message
    assert refused(lambda: read_command(b"shop/#app", encode(DefineApp(app)))).field == field


@pytest.mark.parametrize(
    ("written", "field", "message"),
    {
        "no image": (b"{}", "image", "is missing"),
        "a field too much": (b'{"image": "a", "ports": []}', "ports", "no such field"),
        "memory in another unit": (b'{"image": "a", "memory": "1GB"}', "memory", 'like "512MiB"'),
        "memory that is true": (b'{"image": "a", "memory": true}', "memory", 'like "512MiB"'),
        "a half of a processor": (b'{"image": "a", "cpus": "1/2"}', "cpus", 'like "0.5" or 2'),
        "a fine part of one": (b'{"image": "a", "cpus": 0.0001}', "cpus", "to the thousandth"),
        "a truth of one": (b'{"image": "a", "cpus": true}', "cpus", "to the thousandth"),
        "volumes as text": (b'{"image": "a", "volumes": "a:/b"}', "volumes", "a list of volumes"),
        "a volume as text": (
            b'{"image": "a", "volumes": ["a:/b"]}',
            "volumes[0]",
            "an object with",
        ),
    }.values(),
)
def test_what_is_wrong_in_the_json_of_an_app_is_named(
    written: bytes, field: str, message: str
) -> None:
    fault = refused(lambda: read_command(b"shop/#app", written))

    assert fault.field == field
    assert message in fault.message
