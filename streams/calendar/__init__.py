"""
When does a schedule occur?

Pure: the same question has the same answer on every host, for ever. An answer is made in this
order:

cron.py          splits an expression and refuses what is none (fields, aliases, dialect)
cron_fields.py   rewrites the items of one field into the part of the grammar croniter gets right
hashing.py       puts a number for `H`, from the schedule's id
days.py          which days match: days of the month, weekdays, months, years
clock_times.py   which times of a day match
zones.py         which zones there are, and the stretches of constant offset of each
changes.py       the changes of clocks of a zone, from its file and its rule for later years
wall_time.py     one wall time in real time, with gaps and folds as policy.py reads them
matching.py      the walker: next, previous and number of matching wall times, on plain integers
cron_ticks.py    the resolver: all matching wall times of a zone in real time
interval.py      intervals: elapsed time on a grid, and steps on the calendar; daily.py: many steps
                 of whole days at once
once.py          one instant
weekly.py        one wall time on days of the week
closed_times.py  which wall times are closed by dates, weekdays, ranges and expressions;
                 closed_years.py: the kinds of days that a year has
open_walls.py    an expression's wall times around closed ones
open_ticks.py    a short interval around closed times; open_days.py: the days on which it may come,
                 open_runs.py: one day of it in closed form
moved_ticks.py   the rest around closed days, dropped or moved
exclusions.py    the door to these: a rule without what its schedule and calendars exclude
union.py         several timings together
counting.py      how many instants expressions have together; steps.py: how many intervals have
occurrences.py   the door: compiled rules, the memo of answers, next / previous / between / span
windows.py       when a window of local hours is open
explain.py       all of it in plain English
jitter.py        how far an occurrence is moved from its nominal instant
preview.py       answers in text, for people and for tests
"""
