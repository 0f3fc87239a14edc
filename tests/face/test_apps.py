"""What a subject's containers are made of is read from a file, asked for, and shown again."""

from __future__ import annotations

from pathlib import Path

import pytest

from horae.cli.apps import app_fields, read_app_file
from horae.cli.endings import Said
from schemas.actions import App, Setting, Volume

SHOP = App(
    "shop:1.2",
    env=(Setting("LANG", "C"), Setting("TOKEN", "", "env:SHOP_TOKEN")),
    volumes=(Volume("data", "/data", read_only=True), Volume("/srv/in", "/in")),
    memory=512 << 20,
    cpus=500,
    node="node-1",
)
WRITTEN = """
image: shop:1.2
env: {LANG: C, TOKEN: {secret: "env:SHOP_TOKEN"}}
volumes:
  - {source: data, target: /data, read_only: true}
  - {source: /srv/in, target: /in}
memory: 512MiB
cpus: 0.5
node: node-1
"""


def test_an_app_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "app.yaml"
    path.write_text(WRITTEN)

    assert read_app_file(path) == SHOP


@pytest.mark.parametrize(
    ("text", "why"),
    {
        "nothing": ("", "wanted is one mapping"),
        "two": ("image: a\n---\nimage: b", "wanted is one mapping"),
        "no mapping": ("[a]", "must be an object with image"),
        "a wrong field": ("image: shop\nmemory: 5GB", 'memory: must be like "512MiB"'),
        "an unknown field": ("image: shop\nports: [80]", "ports: there is no such field"),
    }.values(),
)
def test_a_file_that_describes_no_app_is_refused_in_a_sentence(
    tmp_path: Path, text: str, why: str
) -> None:
    path = tmp_path / "app.yaml"
    path.write_text(text)

    with pytest.raises(Said) as refused:
        read_app_file(path)

    assert str(path) in str(refused.value)
    assert why in str(refused.value)


def test_an_app_is_shown_with_the_places_of_its_secrets() -> None:
    assert app_fields(SHOP) == {
        "app image": "shop:1.2",
        "app env": "LANG=C, TOKEN=<env:SHOP_TOKEN>",
        "app volumes": "data at /data (read only), /srv/in at /in",
        "app memory": "512MiB",
        "app cpus": "0.5",
        "app node": "node-1",
    }
