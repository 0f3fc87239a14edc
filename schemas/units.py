"""How many microseconds are there in a second, a minute, an hour and a day of elapsed time?"""

from __future__ import annotations

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
