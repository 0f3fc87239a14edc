"""Nobody but an admin changes what acts on a deployment, however far the views are behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from horae.client import Order
from projections.shown import ScheduleShown
from schemas.commands import Define
from schemas.identity import schedule_id
from schemas.reading import read_definition
from tests.face.asked_over_http import problem
from tests.face.rehearsed_house import Rehearsal, house_on
from tests.face.served import served, with_tokens

PLACE = "/v1/schedules/llama/night"
EMIT = {"cron": "@daily", "emit": {"topic": "jobs"}}
SLEEP = {"cron": "@daily", "deployment": "sleep"}


class Behind(Rehearsal):
    """Views that see what was decided after so many looks."""

    looks = 0

    @override
    def schedule(self, schedule: str) -> ScheduleShown | None:
        self.looks -= 1
        return None if self.looks >= 0 else super().schedule(schedule)


def define(views: Rehearsal, written: dict[str, Any]) -> int:
    """What somebody else writes, elsewhere; its version."""
    reply = views.ask(Order(schedule_id("llama/night"), Define(read_definition(written))))
    assert reply.version is not None
    return reply.version


@pytest.fixture
def views() -> Behind:
    return Behind()


def test_what_the_views_have_not_seen_is_replaced_by_nobody_else(
    views: Behind, tmp_path: Path
) -> None:
    """DP-003: the log is asked for just the version that was looked at."""
    house = house_on(views, tmp_path)
    with served(house) as address, with_tokens(address, house.keyring) as http:
        define(views, SLEEP)
        views.looks = 3
        problem(http("write").put(PLACE, json=EMIT), 403)

        assert views.looks < 0
        assert views.states["llama/night"].plan.definition == read_definition(SLEEP)


def test_a_version_that_nobody_has_looked_at_is_not_changed(views: Behind, tmp_path: Path) -> None:
    house = house_on(views, tmp_path)
    with served(house) as address, with_tokens(address, house.keyring) as http:
        version = define(views, EMIT)
        late = EMIT | {"expected_version": version + 1}
        part = {"mask": ["zone"], "definition": {"zone": "Asia/Tokyo"}}

        problem(http("write").put(PLACE, json=late), 409, "expected_version")
        said = http("write").patch(PLACE, json=part | {"expected_version": version + 1})
        problem(said, 409, "expected_version")
        assert (
            "was expected"
            in problem(
                http("admin").put(PLACE, json=late | {"zone": "UTC"}), 409, "expected_version"
            )["detail"]
        )


def test_what_acts_on_no_deployment_is_written_as_before(views: Behind, tmp_path: Path) -> None:
    house = house_on(views, tmp_path)
    with served(house) as address, with_tokens(address, house.keyring) as http:
        asks = http("write")
        made = asks.put(PLACE, json=EMIT)
        define(views, EMIT | {"zone": "Asia/Tokyo"})
        views.looks = 2
        again = asks.put(PLACE, json=EMIT | {"description": "x"})
        version = again.json()["version"]
        named = asks.put(PLACE, json=EMIT | {"expected_version": version})

        assert [each.status_code for each in (made, again, named)] == [201, 200, 200], again.text
        assert views.states["llama/night"].plan.definition == read_definition(EMIT)
        assert asks.delete(PLACE).status_code == 200
