"""
Which schedules do timers become, what is refused with which line, and what is told?

Calendar expressions are test_systemd_calendar.py, files and time spans test_systemd_units.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from horae.cli.import_report import why_refused
from horae.importers.report import How, Mapped, Report
from horae.importers.systemd import import_timers
from horae.importers.timer_settings import Aim
from tests.face.typed import run

AIM = Aim("systemd.units", "systemd", "Europe/Berlin", why_refused)


def read(text: str, name: str = "backup.timer", seen: dict[str, str] | None = None) -> Report:
    return import_timers(Path(name), text.encode(), AIM, {} if seen is None else seen)


def mapped(*settings: str) -> Mapped:
    report = read("\n".join(("[Timer]", *settings)))
    assert report.refused == []
    [found] = report.mapped
    return found


def test_a_timer_becomes_a_schedule_that_emits_its_unit() -> None:
    report = read("[Unit]\nDescription=All of it\n[Timer]\nOnCalendar=Mon..Fri 02:30\n")

    [found] = report.mapped
    assert (found.number, found.schedule) == (4, "systemd/backup")
    assert found.definition == {
        "cron": "30 2 * * 1-5",
        "zone": "Europe/Berlin",
        "dst": "skip",
        "catch_up": "none",
        "description": "from backup.timer: All of it",
        "emit": {
            "topic": "systemd.units",
            "key": "systemd/backup",
            "value": {"unit": "backup.service", "timer": "backup.timer"},
        },
    }


def test_several_expressions_are_a_union() -> None:
    assert mapped("OnCalendar=daily", "OnCalendar=Mon 12:00").definition["cron"] == [
        "0 0 * * *",
        "0 12 * * 1",
    ]


def test_a_second_of_utc_is_a_timing_of_its_own() -> None:
    both = mapped("OnCalendar=daily UTC", "OnCalendar=@1780000000").definition

    assert both["timings"] == [{"cron": "0 0 * * *"}, {"once": "2026-05-28T20:26:40Z"}]
    assert both["zone"] == "UTC"
    assert mapped("OnCalendar=@1780000000").definition["once"] == "2026-05-28T20:26:40Z"


def test_an_empty_setting_takes_back_what_was_said() -> None:
    found = mapped("OnCalendar=daily", "OnBootSec=1h", "OnCalendar=", "OnCalendar=hourly")

    assert found.definition["cron"] == "0 * * * *"


def test_a_persistent_one_makes_good_the_latest_it_missed() -> None:
    definition = mapped("OnCalendar=daily", "Persistent=yes").definition

    assert definition["catch_up"] == {"mode": "latest", "lookback": None}
    assert mapped("OnCalendar=daily", "Persistent=no").definition["catch_up"] == "none"


def test_a_random_delay_is_a_jitter() -> None:
    found = mapped("OnCalendar=daily", "RandomizedDelaySec=1h 30min")

    assert found.definition["jitter"] == "PT1H30M"
    assert How("RandomizedDelaySec=1h 30min", "jitter PT1H30M, the same on every host") in found.how
    assert "jitter" not in mapped("OnCalendar=daily", "RandomizedDelaySec=0").definition


def test_after_the_last_start_is_an_interval_after_each_fire_and_told() -> None:
    report = read("[Timer]\nOnBootSec=15min\nOnUnitActiveSec=1d\n")

    [found] = report.mapped
    assert found.definition["interval"] == {"every": "PT24H", "basis": "after_fire"}
    assert "zone" not in found.definition
    assert [how.setting for how in found.how] == ["OnUnitActiveSec=1d", "OnBootSec=15min"]
    assert "first from the definition here" in report.remarks[0].text
    assert report.refused == []


def test_the_shortest_of_several_lengths_counts() -> None:
    found = mapped("OnUnitActiveSec=2h", "OnUnitActiveSec=90min")

    assert found.definition["interval"]["every"] == "PT1H30M"


def test_what_a_timer_starts_stands_in_the_record() -> None:
    report = read("[Timer]\nOnCalendar=daily\nUnit=all@%i.target\n")

    assert report.mapped[0].definition["emit"]["value"]["unit"] == "all@%i.target"
    assert "specifiers" in report.remarks[0].text


WITHOUT_EFFECT = {
    "AccuracySec=1us": "nothing: what is due is due on the instant",
    "WakeSystem=true": "nothing: no machine is woken",
    "FixedRandomDelay=yes": "nothing: each instant has a delay of its own, the same for ever",
}


@pytest.mark.parametrize("setting", WITHOUT_EFFECT)
def test_what_has_no_effect_is_told(setting: str) -> None:
    assert How(setting, WITHOUT_EFFECT[setting]) in mapped("OnCalendar=daily", setting).how


def test_what_nobody_knows_and_what_is_not_kept_is_told() -> None:
    report = read("[Unit]\nConditionACPower=true\n[Timer]\nOnCalender=x\nOnCalendar=daily\n")

    assert [(each.number, each.text.partition(": ")[2][:20]) for each in report.remarks] == [
        (4, "OnCalender is no set"),
        (2, "ConditionACPower=tru"),
    ]


BESIDE = {
    "OnBootSec=5min": "it counts from a machine's boot",
    "OnActiveSec=5min": "it counts from the timer's own start",
    "OnUnitActiveSec=1h": "an interval stands alone",
    "OnUnitInactiveSec=1h": "it counts from the end of the unit",
    "OnClockChange=yes": "is no time on a calendar",
    "RandomizedOffsetSec=5min": "there is no random offset here",
}


@pytest.mark.parametrize("setting", BESIDE)
def test_beside_a_calendar_another_trigger_is_refused_by_its_line_alone(setting: str) -> None:
    report = read(f"[Timer]\nOnCalendar=daily\n{setting}\n")

    [refused] = report.refused
    assert len(report.mapped) == 1
    assert (refused.number, refused.text) == (3, setting)
    assert BESIDE[setting] in refused.why


REFUSED = {
    "only after boot": ("OnBootSec=5min", "OnBootSec=5min: it counts from a machine's boot"),
    "only after its end": ("OnUnitInactiveSec=1h", "it counts from the end of the unit"),
    "no time at all": ("Persistent=yes", "no setting says when"),
    "no expression": ("OnCalendar=fortnightly", "OnCalendar=fortnightly: 'fortnightly' is no"),
    "no such zone": ("OnCalendar=12:00 Mars", "OnCalendar: "),
    "two zones": ("OnCalendar=daily UTC\nOnCalendar=daily", "UTC and in Europe/Berlin"),
    "a fraction of a second": ("OnCalendar=*:*:0/0.5", "between two seconds"),
    "a length that is none": ("OnUnitActiveSec=soon", "OnUnitActiveSec: 'soon' is no time span"),
    "a length that is too short": ("OnUnitActiveSec=1ms", "OnUnitActiveSec: the shortest"),
    "a delay that is none": ("OnCalendar=daily\nRandomizedDelaySec=x", "RandomizedDelaySec: 'x'"),
    "a delay of a week": ("OnCalendar=daily\nRandomizedDelaySec=1w", "RandomizedDelaySec: "),
    "persistent perhaps": ("OnCalendar=daily\nPersistent=maybe", "must be yes or no"),
}


@pytest.mark.parametrize(("settings", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_a_timer_without_a_time_that_can_be_kept_is_refused(settings: str, why: str) -> None:
    report = read(f"[Timer]\n{settings}\n")

    assert report.mapped == []
    assert why in report.refused[-1].why
    assert report.refused[-1].text == "backup.timer"


def test_names_are_ids_and_a_template_is_none() -> None:
    text = "[Timer]\nOnCalendar=daily\n"

    assert read(text, "pg_dump@15-main.timer").mapped[0].schedule == "systemd/pg_dump-15-main"
    assert "a template is no timer" in read(text, "pg_dump@.timer").refused[0].why


def test_the_same_name_twice_is_refused_with_where_it_stood() -> None:
    seen: dict[str, str] = {}
    text = "[Timer]\nOnCalendar=daily\n"
    read(text, "a@b.timer", seen)

    assert "stands already in a@b.timer" in read(text, "a-b.timer", seen).refused[0].why


def test_a_rehearsal_tells_line_by_line_what_became_of_it(tmp_path: Path) -> None:
    file = tmp_path / "backup.timer"
    file.write_text("[Timer]\nOnCalendar=Fri *-*-13\nOnBootSec=5min\n")

    code, out, _ = run("import", "systemd", str(file), "--dry-run", "--zone", "UTC")

    assert code == 1
    assert f"{file}: 1 mapped, 1 refused" in out
    assert "line 2: systemd/backup  " in out
    assert "more  UTC" in out
    assert "line 2: note: backup.timer: weekdays and days of the month are written out" in out
    assert "line 3: refused: backup.timer: it counts from a machine's boot" in out


def test_all_timers_of_a_machine_from_standard_input_as_json() -> None:
    text = (
        "# /usr/lib/systemd/system/a.timer\n[Timer]\nOnCalendar=daily\n\n"
        "# /etc/systemd/system/a.timer.d/more.conf\n[Timer]\nPersistent=yes\n\n"
        "# /usr/lib/systemd/system/b.timer\n[Timer]\nOnUnitActiveSec=1h\n"
    )

    code, out, _ = run(
        *("import", "systemd", "-", "--dry-run", "-o", "json", "--subject", "host"), stdin=text
    )

    [report] = json.loads(out)
    found: dict[str, Any] = {each["schedule"]: each["definition"] for each in report["mapped"]}
    assert (code, list(found)) == (0, ["host/a", "host/b"])
    assert found["host/a"]["catch_up"]["mode"] == "latest"
    assert [each["line"] for each in report["mapped"]] == [3, 11]


def test_an_expression_that_never_comes_is_refused_alone() -> None:
    report = read("[Timer]\nOnCalendar=2026-02-30\nOnCalendar=daily\n")

    assert [(each.number, each.text) for each in report.refused] == [(2, "OnCalendar=2026-02-30")]
    assert report.refused[0].why == "backup.timer: it never comes"
    [found] = report.mapped
    assert found.definition["cron"] == "0 0 * * *"
    assert found.how[0].setting == "OnCalendar=daily"


def test_a_timer_of_which_nothing_ever_comes_is_refused() -> None:
    report = read("[Timer]\nOnCalendar=*-02-30\n")

    assert report.mapped == []
    assert [each.why for each in report.refused] == [
        "backup.timer: it never comes",
        "OnCalendar: none of them ever comes",
    ]
