"""A runner does what its settings name, and with empty ones nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from schemas.actions import Exec, Fresh, Http, Program, Setting, Volume, Work
from streams.references import MOST_BYTES
from streams.runner.allowed import Allowed
from streams.runner.faults import NotToBeHad
from streams.runner.secrets import resolve
from streams.settings import RunnerSettings
from tests.runner.ordered import APP, order, program

EVERYTHING = {
    f"allow_{name}": "*"
    for name in ("programs", "images", "secrets", "volumes", "networks", "urls")
} | {"allow_actions": "http,command,exec,fresh"}


def allowed(**given: str) -> Allowed:
    return Allowed(RunnerSettings(**given))  # type: ignore[arg-type] # by their names


WORKS: dict[str, Work] = {
    "http": Http("http://127.0.0.1/run"),
    "command": program("true"),
    "exec": Exec(("true",)),
    "fresh": Fresh(("true",)),
}


@pytest.mark.parametrize("word", WORKS)
def test_nothing_is_allowed_unless_it_is_named(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = order(WORKS[word], app=APP)
    rest = ",".join(set(WORKS) - {word})

    for actions in ("", rest):
        objection = allowed(**EVERYTHING | {"allow_actions": actions}).objection_to(asked)
        assert objection == f"'{word}' is not allowed here (HORAE_RUNNER_ALLOW_ACTIONS)"
    assert allowed(**EVERYTHING | {"allow_actions": word}).objection_to(asked) is None
    monkeypatch.setenv("HORAE_RUNNER_ALLOW_ACTIONS", word)
    assert Allowed(RunnerSettings()).action(type(WORKS[word])) is None


@pytest.mark.parametrize(("word", "told"), [("fresh", True), ("exec", True), ("command", False)])
def test_where_nobody_described_the_app_the_objection_says_so(word: str, *, told: bool) -> None:
    """Its node would name the pool: without it the work comes to runners that never do such."""
    objection = allowed(allow_actions="http").objection_to(order(WORKS[word], app=None))

    assert objection is not None
    assert ("has no app" in objection) is told


@pytest.mark.parametrize(
    ("patterns", "name", "fits"),
    [
        ("backup", "backup", True),
        ("backup", "backup2", False),
        ("backup", "/usr/bin/backup", False),
        ("/opt/jobs/*", "/opt/jobs/close", True),
        ("/opt/jobs/*", "/opt/jobs/../../bin/sh", False),
        ("/opt/jobs/*", "/opt/jobsite/x", False),
        ("*", "./close", False),
        ("*", "jobs/close", False),
        (" a , b ", "b", True),
        ("a[bc]", "ab", False),
        ("a?", "ab", False),
        ("", "a", False),
        (",", "", False),
    ],
)
def test_programs(patterns: str, name: str, fits: bool) -> None:
    assert (allowed(allow_programs=patterns).program(name) is None) is fits


@pytest.mark.parametrize(
    ("patterns", "url", "fits"),
    [
        ("http://127.0.0.1:*/", "http://127.0.0.1:8080/run?x=1", True),
        ("http://127.0.0.1:*/", "http://127.0.0.1/run", True),
        ("http://127.0.0.1:*/", "https://127.0.0.1:8080/run", False),
        ("http://127.0.0.1:*", "http://127.0.0.1.evil.example/", False),
        ("http://127.0.0.1:*/", "http://127.0.0.1:80@evil.example/", False),
        ("http://127.0.0.1", "http://127.0.0.1:8080/", False),
        ("http://127.0.0.1", "http://127.0.0.1:80/", True),
        ("https://*.example.com/v1", "https://tasks.example.com/v1/run", True),
        ("https://*.example.com/v1", "https://tasks.example.com/v1", True),
        ("https://*.example.com/v1", "https://tasks.example.com/v10", False),
        ("https://*.example.com/v1", "https://example.com/v1", False),
        ("https://*.example.com/v1/", "https://a.example.com/v1/../admin", False),
        ("https://*.example.com/v1/", "https://a.example.com/v1/%2e%2e/admin", False),
        ("https://*.example.com/v1/", "https://a.example.com/v1/\\..\\admin", False),
        ("https://*.example.com/", "https://evil.example/?.example.com/", False),
        ("https://tasks.example.com/", "HTTPS://TASKS.example.com/x", True),
        ("http://[::1]:*/", "http://[::1]:8080/x", True),
        ("http://[::1]/", "http://[::1]:8080/x", False),
        ("*", "file:///etc/passwd", False),
        ("*://*", "gopher://x/", False),
        ("http://a/", "http://a:port/", False),
        ("http://a/", "http://a/ b", False),
        ("", "http://a/", False),
    ],
)
def test_urls(patterns: str, url: str, fits: bool) -> None:
    assert (allowed(allow_urls=patterns).url(url) is None) is fits


@pytest.mark.parametrize(
    ("work", "setting"),
    [
        (program("sh"), "HORAE_RUNNER_ALLOW_PROGRAMS"),
        (Exec(("true",)), "HORAE_RUNNER_ALLOW_IMAGES"),
        (Fresh(("true",)), "HORAE_RUNNER_ALLOW_IMAGES"),
    ],
)
def test_an_objection_names_its_setting(work: Work, setting: str) -> None:
    objection = allowed(allow_actions="command,exec,fresh").objection_to(order(work, app=APP))

    assert objection is not None
    assert setting in objection


@pytest.mark.parametrize(
    ("patterns", "network", "fits"),
    [
        ("", None, True),
        ("", "none", True),
        ("", "shop", False),
        ("shop*", "shop-net", True),
        ("shop*", "host", False),
        ("shop*", "container:shop-1", False),
    ],
)
def test_a_network_of_an_app_is_allowed_by_its_name(
    patterns: str, network: str | None, fits: bool
) -> None:
    asked = order(Fresh(("true",)), app=replace(APP, network=network))

    objection = allowed(**EVERYTHING | {"allow_networks": patterns}).objection_to(asked)

    assert (objection is None) is fits
    assert fits or "HORAE_RUNNER_ALLOW_NETWORKS" in str(objection)


def test_a_volume_of_an_app_is_allowed_by_its_source() -> None:
    app = replace(APP, volumes=(Volume("/srv/billing", "/data"), Volume("/etc", "/etc")))
    asked = order(Fresh(("true",)), app=app)
    images = EVERYTHING | {"allow_volumes": "/srv/*"}

    objection = allowed(**images).objection_to(asked)

    assert objection == "'/etc' is not allowed here (HORAE_RUNNER_ALLOW_VOLUMES)"
    assert allowed(allow_volumes="/srv/*").volume("/srv/../etc") is not None
    assert allowed(**images | {"allow_volumes": "/srv/*,/etc"}).objection_to(asked) is None


@pytest.mark.parametrize(
    "name",
    [
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "BASH_FUNC_tar%%", "SHELLOPTS", "PS4"),
        *("PERL5OPT", "PERL5DB", "PYTHONPATH", "PYTHONWARNINGS", "RUBYOPT", "NODE_OPTIONS"),
        *("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"),
    ],
)
def test_no_order_lets_an_allowed_program_load_other_code(name: str) -> None:
    asked = order(program("true", env={name: "/tmp/mine.so"}))

    assert name in str(allowed(**EVERYTHING).objection_to(asked))


@pytest.mark.parametrize("name", ["PATH", "ENV", "PYTHONUNBUFFERED", "OLD_LD_PATH", "ps4"])
def test_other_variables_are_an_orders_own_affair(name: str) -> None:
    assert allowed(**EVERYTHING).objection_to(order(program("true", env={name: "x"}))) is None


def test_in_a_container_variables_name_what_its_image_lets_them() -> None:
    asked = order(Exec(("true",), env=(Setting("PYTHONPATH", "/app"),)), app=APP)
    assert allowed(**EVERYTHING).objection_to(asked) is None
    asked = order(Exec(("true",), env=(Setting("LD_PRELOAD", "/app/x.so"),)), app=APP)
    assert "LD_PRELOAD" in str(allowed(**EVERYTHING).objection_to(asked))


# ------------------------------------------------------------------ secrets


def having(*references: str) -> Program:
    return Program(
        ("true",), env=tuple(Setting(f"S{n}", secret=r) for n, r in enumerate(references))
    )


def test_references_are_looked_up_where_the_runner_runs(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("from a file\n")
    asked = having("env:JOB_TOKEN", f"file:{file}")

    secrets = resolve(order(asked), allowed(allow_secrets="*"), {"JOB_TOKEN": "from there"})

    assert [secrets.value_of(one) for one in asked.env] == ["from there", "from a file"]
    assert secrets.value_of(Setting("plain", "text")) == "text"
    assert set(secrets.values()) == {"from there", "from a file"}
    assert "from" not in repr(secrets)


def test_the_settings_of_an_app_are_looked_up_for_its_containers_only() -> None:
    app = replace(APP, env=(Setting("DSN", secret="env:DSN"),))  # noqa: S106 - where it is
    nothing = allowed()

    assert resolve(order(program("true"), app=app), nothing, {}).values() == ()
    with pytest.raises(NotToBeHad, match="HORAE_RUNNER_ALLOW_SECRETS"):
        resolve(order(Fresh(("true",)), app=app), nothing, {})


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("env:OTHER", "HORAE_RUNNER_ALLOW_SECRETS"),
        ("env:JOB_GONE", "env:JOB_GONE is not set"),
        ("vault:x", "env:<name> or file:<path>"),
        ("env:", "env:<name> or file:<path>"),
        ("file:{}/../token", "full path"),
        ("file:token", "full path"),
        ("file:{}/missing", "cannot be read: No such file"),
        ("file:{}/long", "more than"),
        ("file:{}/binary", "not UTF-8"),
        ("file:{}/nul", "NUL"),
    ],
)
def test_what_is_not_to_be_had_is_named_and_its_value_is_not(
    reference: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "long").write_text("x" * (MOST_BYTES + 1))
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "nul").write_bytes(b"hunter\0")
    listed = allowed(allow_secrets=f"env:JOB_*,file:{tmp_path}/*")

    with pytest.raises(NotToBeHad, match=said) as caught:
        resolve(order(having(reference.format(tmp_path))), listed, {"OTHER": "hunter2"})
    assert "hunter" not in str(caught.value)
