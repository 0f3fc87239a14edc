"""
Which days are public holidays of a country?

Asks the `holidays` package and writes the dates out, so that every processor agrees on them
whatever release of the package it has. Dates of files are ics.py.
"""

from __future__ import annotations

from importlib.metadata import version

import holidays

from horae.importers.days_off import DaysOff, Years


class UnknownPlace(ValueError):
    """A country or subdivision that the package does not know; the message says which it knows."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


def public_holidays(country: str, subdivision: str | None, years: Years) -> DaysOff:
    """All public holidays of these years; raises UnknownPlace."""
    country = country.upper()
    _check(country, subdivision)
    where = country if subdivision is None else f"{country} ({subdivision})"
    span = str(years.first) if years.first == years.last else f"{years.first}-{years.last}"
    found = DaysOff(f"public holidays of {where}, {span}, by holidays {version('holidays')}")
    named = holidays.country_holidays(
        country, subdiv=subdivision, years=range(years.first, years.last + 1)
    )
    for day, name in sorted(named.items()):
        found.add([day], name)
    empty = [
        str(year)
        for year in range(years.first, years.last + 1)
        if not any(day.year == year for day in found.days)
    ]
    if empty:
        found.remarks.append(f"no holiday is known for {', '.join(empty)}")
    return found


def _check(country: str, subdivision: str | None) -> None:
    known = holidays.list_supported_countries(include_aliases=True)
    if country not in known:
        raise UnknownPlace(
            "COUNTRY", f"{country!r} is not known; wanted are its two letters, such as DE"
        )
    if subdivision is not None and subdivision not in known[country]:
        parts = ", ".join(sorted(known[country])) or "none"
        raise UnknownPlace(
            "--subdivision", f"{subdivision!r} is no part of {country}; there are: {parts}"
        )
