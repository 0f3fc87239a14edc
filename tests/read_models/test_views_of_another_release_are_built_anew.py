"""Does `horae up` serve the folder of another release, whose views have other tables?"""

from __future__ import annotations

import psycopg
import pytest

from horae.cli.up_views import prepare_views, rows_lost
from horae.local import Endpoints, Step
from projections.rebuild import Rebuilt
from tests.read_models.conftest import Views
from tests.read_models.ledger import NIGHTLY, row


def prepared(views: Views) -> list[str]:
    """What is said meanwhile."""
    said: list[str] = []

    def tell(step: Step) -> None:
        said.append(step.text)

    prepare_views(Endpoints(views.ledger.bootstrap, views.dsn), tell, views.ledger.sources)
    return said


@pytest.mark.broker
def test_only_those_of_another_layout_are_built_anew(views: Views) -> None:
    views.ledger.schedule(NIGHTLY, row(5))
    never_built = prepared(views)
    views.project()
    as_they_must_be = prepared(views)
    with psycopg.connect(views.dsn) as connection:
        connection.execute("UPDATE horae.serving SET layout = 3")
    of_another = prepared(views)

    assert never_built == as_they_must_be == []
    assert of_another == ["Building the views anew: layout 3 is that of another release"]
    assert [one.schedule for one in views.reads.schedules().rows] == [NIGHTLY]
    assert prepared(views) == []


def test_what_the_log_has_no_more_is_told() -> None:
    done = Rebuilt(2, {"schedules": 3, "runs": 1}, 1, {"schedules": 3, "runs": 4}, dropped=True)

    assert rows_lost(done) == "runs 1 instead of 4"
