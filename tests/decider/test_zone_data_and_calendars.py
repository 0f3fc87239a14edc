"""Other zone data and a changed calendar together lose nothing that comes after what waits."""

from __future__ import annotations

from schemas.events import Fired
from tests.decider.feasts import DEFINED, NO_FEASTS, feasts
from tests.decider.stage import RING, Breaks, Upgrades, at, played


def test_what_waits_on_a_day_that_became_a_feast_keeps_its_wall_time() -> None:
    """The next day's is not taken for its own: that day would be passed over."""
    stage = played(
        ("00:00", Upgrades(1)),
        NO_FEASTS,
        DEFINED,
        ("06-02T12:00", Breaks("gone")),
        ("06-02T12:00", RING),
        ("06-02T12:00:00.1", feasts("06-02", said="06-02T12:00:00.1")),
        ("06-02T12:00:00.2", Upgrades(2)),
        ("06-02T12:00:00.3", Breaks(None)),
    )

    (event,) = stage.ring(at("06-02T12:00:01"))

    assert isinstance(event, Fired)
    assert (event.nominal, event.wall) == (at("06-02T12:00"), at("06-02T12:00"))
    assert event.next == at("06-03T12:00")
