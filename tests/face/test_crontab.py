"""
Which schedules does a crontab become, and which lines are refused with what word?

The fields of the calendar are its own tests; here every cron text but `bad` is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from horae.cli.import_report import why_refused
from horae.cli.main import app
from horae.importers.crontab import (
    Table,
    import_table,
    machine_tables,
    table_of,
)
from horae.importers.crontab_actions import Action, as_command, as_record
from horae.importers.crontab_lines import Form
from horae.importers.report import Check, Report

RECORD = as_record("cron.jobs")


def _check(definition: Mapping[str, Any]) -> str | None:
    return "not a time" if definition["cron"].startswith("61") else None


def _import(
    text: str,
    form: Form = Form.USER,
    path: str = "jobs",
    action: Action = RECORD,
    check: Check = _check,
) -> Report:
    table = Table(Path(path), text.encode(), form, user="ann")
    return import_table(table, action=action, zone="Europe/Berlin", check=check)


def test_an_entry_becomes_a_schedule_that_emits_its_command() -> None:
    report = _import("SHELL=/bin/bash\n30 2 * * * root /opt/run.sh -a%hi\n", Form.SYSTEM)

    [entry] = report.mapped
    assert entry.number == 2
    assert entry.schedule.startswith("cron-jobs/run.sh-")
    assert entry.definition["cron"] == "30 2 * * *"
    assert entry.definition["zone"] == "Europe/Berlin"
    assert entry.definition["emit"] == {
        "topic": "cron.jobs",
        "key": entry.schedule,
        "value": {
            "command": "/opt/run.sh -a",
            "user": "root",
            "env": {"SHELL": "/bin/bash"},
            "stdin": "hi\n",
        },
    }


def test_an_entry_becomes_the_shell_that_cron_would_start() -> None:
    text = "LANG=C\n30 2 * * * root cd /srv && ls \\%1 > $HOME/x\n"

    [entry] = _import(text, Form.SYSTEM, action=as_command(), check=why_refused).mapped

    assert entry.definition["command"] == {
        "argv": ["/bin/sh", "-c", "cd /srv && ls %1 > $HOME/x"],
        "env": {"LANG": "C"},
        "user": "root",
    }
    assert entry.definition["overlap"] == "allow"
    assert "emit" not in entry.definition


def test_a_shell_and_a_pool_that_are_named_are_kept() -> None:
    text = "SHELL=/bin/bash\n@daily x\n"

    [entry] = _import(text, action=as_command("db"), check=why_refused).mapped

    assert entry.definition["command"]["argv"] == ["/bin/bash", "-c", "x"]
    assert entry.definition["command"]["pool"] == "db"


def test_a_command_that_reads_the_rest_of_its_line_is_refused_where_nothing_can_be_read() -> None:
    report = _import("@daily mail -s x%hello\n@daily y\n", action=as_command())

    [refused] = report.refused
    assert (refused.number, "what follows the %" in refused.why) == (1, True)
    assert len(report.mapped) == 1


def test_the_owner_of_a_table_is_the_user_of_its_entries() -> None:
    [entry] = _import("@daily x").mapped

    assert entry.definition["emit"]["value"]["user"] == "ann"
    assert entry.definition["cron"] == "@daily"


def test_cron_tz_holds_for_the_lines_below_it() -> None:
    report = _import("0 1 * * * a\nCRON_TZ=Asia/Tokyo\n0 2 * * * b\nCRON_TZ=UTC\n0 3 * * * c\n")

    assert [m.definition["zone"] for m in report.mapped] == ["Europe/Berlin", "Asia/Tokyo", "UTC"]
    assert [m.definition["emit"]["value"]["env"] for m in report.mapped] == [{}, {}, {}]


def test_tz_is_the_commands_and_moves_no_time() -> None:
    report = _import("TZ=Asia/Tokyo\n0 2 * * * b\n")

    [entry] = report.mapped
    assert entry.definition["zone"] == "Europe/Berlin"
    assert entry.definition["emit"]["value"]["env"] == {"TZ": "Asia/Tokyo"}
    assert "CRON_TZ does" in report.remarks[0].text


def test_settings_hold_for_the_lines_below_them_only() -> None:
    report = _import("@daily a\nMAILTO=me\n@daily b\nMAILTO=\n@daily c\n")

    envs = [m.definition["emit"]["value"]["env"] for m in report.mapped]
    assert envs == [{}, {"MAILTO": "me"}, {"MAILTO": ""}]


def test_reboot_is_refused_with_a_word() -> None:
    report = _import("@reboot x\n@daily y\n")

    [refused] = report.refused
    assert (refused.number, refused.text) == (1, "@reboot x")
    assert "not when a machine starts" in refused.why
    assert len(report.mapped) == 1


def test_a_time_that_the_calendar_refuses_is_refused_with_its_reason() -> None:
    [refused] = _import("61 * * * * x").refused

    assert refused.why == "not a time"


def test_names_do_not_depend_on_the_order_of_lines() -> None:
    there = _import("0 1 * * * a\n0 2 * * * b\n")
    back = _import("0 2 * * * b\n# moved\n\n0  1 * * *  a\n")

    assert {m.schedule for m in there.mapped} == {m.schedule for m in back.mapped}


def test_the_same_line_twice_is_two_schedules() -> None:
    first, second = _import("0 1 * * * a\n0 1 * * * a\n").mapped

    assert second.schedule == f"{first.schedule}-2"


def test_names_are_ids_whatever_the_file_and_the_command_are_called() -> None:
    [entry] = _import("@daily /opt/ä#1|x y", path="my jobs@home").mapped

    assert entry.schedule.startswith("cron-my-jobs-home/1-x-")


def test_a_file_in_the_cron_folder_has_the_system_form(tmp_path: Path) -> None:
    folder = tmp_path / "cron.d"
    folder.mkdir()
    (folder / "good").write_text("@daily root x\n")
    (folder / "bad.dpkg-old").write_text("@daily root y\n")

    tables, unread = machine_tables(tmp_path / "crontab", folder)

    assert [(t.path.name, t.form) for t in tables] == [("good", Form.SYSTEM)]
    assert unread == []


def test_a_file_elsewhere_has_the_user_form_unless_told() -> None:
    file, entry = Path("mine"), b"@daily x"

    assert table_of(file, entry).form is Form.USER
    assert table_of(file, entry, Form.SYSTEM).form is Form.SYSTEM


def test_the_systems_tables_have_its_form_and_a_spool_says_whose_it_is() -> None:
    assert table_of(Path("/etc/crontab"), b"").form is Form.SYSTEM
    assert table_of(Path("/etc/cron.d/x"), b"").form is Form.SYSTEM
    assert table_of(Path("/var/spool/cron/crontabs/ann"), b"").user == "ann"


def test_a_table_that_looks_like_the_systems_is_told_once() -> None:
    text = b"0 1 * * * root /bin/a\n0 2 * * * root /bin/b\n"
    mapped = partial(import_table, action=RECORD, zone="UTC", check=_check)

    [remark] = mapped(table_of(Path("copy"), text)).remarks
    assert (remark.number, "--system" in remark.text) == (1, True)
    assert mapped(table_of(Path("copy"), text, Form.USER)).remarks == []
    assert mapped(table_of(Path("copy"), text, Form.SYSTEM)).remarks == []
    assert mapped(table_of(Path("copy"), b"0 1 * * * rooter x")).remarks == []


def test_a_table_may_come_from_standard_input() -> None:
    arguments = ["import", "crontab", "-", "--user", "ann", "--dry-run", "--zone", "UTC"]

    result = CliRunner().invoke(app, arguments, input="0 1 * * * backup\n")

    assert result.exit_code == 0
    assert "stdin (user form): 1 mapped, 0 refused" in result.stdout
    assert "line 1: cron-stdin/backup-" in result.stdout


def test_a_table_may_be_imported_as_commands() -> None:
    arguments = ["import", "crontab", "-", "--as", "command", "--pool", "db", "--dry-run"]

    result = CliRunner().invoke(app, [*arguments, "-o", "json"], input="0 1 * * * backup --all\n")

    assert result.exit_code == 0
    assert '"argv": [' in result.stdout
    assert '"pool": "db"' in result.stdout


def test_a_pool_is_for_commands() -> None:
    arguments = ["import", "crontab", "-", "--pool", "db", "--dry-run"]

    result = CliRunner().invoke(app, arguments, input="0 1 * * * backup\n")

    assert result.exit_code == 2
    assert "--pool" in result.stderr
