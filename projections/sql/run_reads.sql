-- name: list_runs
-- A page of runs, those fired last first.
SELECT run, schedule, subject, scope, version, incarnation, nominal, origin, kind, changed_at,
       attempt, status, shown_as, reason, detail, until, work, due, late, fired_at, actor,
       command_id, given_out_at, started_at, ended_at, runner, exit_code, output_cut,
       output_dropped, reference, lateness, queue_time, duration
FROM runs
WHERE (%(run)s::text IS NULL OR run = %(run)s)
  AND (%(schedule)s::text IS NULL OR schedule = %(schedule)s)
  AND (%(subject)s::text IS NULL OR subject = %(subject)s)
  AND (%(status)s::text IS NULL OR status = %(status)s OR shown_as = %(status)s)
  AND fired_at >= %(since)s AND fired_at < coalesce(%(before)s::timestamptz, 'infinity')
  AND (fired_at, run) < (%(fired_at)s, %(after)s)
ORDER BY fired_at DESC, run DESC
LIMIT %(limit)s;

-- name: list_attempts
-- The attempts of a run, the first one first.
SELECT run, attempt, offers, given_out_at, runner, granted_at, started_at, ended_at, status, detail,
       exit_code, output, output_cut, output_dropped, reference
FROM run_attempts
WHERE run = %(run)s
ORDER BY attempt;

-- name: output_of_run
-- The last that a run wrote.
SELECT run, output, output_cut, output_dropped FROM runs WHERE run = %(run)s;

-- name: list_insights
-- A page of what somebody should know, the newest first.
SELECT subject, kind, about, message, raised_at, resolved_at, resolution, resolved_by, partition,
       sequence
FROM insights
WHERE (%(subject)s::text IS NULL OR subject = %(subject)s)
  AND (%(kind)s::text IS NULL OR kind = %(kind)s)
  AND (NOT %(only_open)s OR resolved_at IS NULL)
  AND (raised_at, partition, sequence) < (%(raised_at)s, %(partition)s, %(sequence)s)
ORDER BY raised_at DESC, partition DESC, sequence DESC
LIMIT %(limit)s;

-- name: subject
-- What the containers of a subject are made of.
SELECT subject, app, changed_at, actor FROM subjects WHERE subject = %(subject)s;

-- name: list_runners
-- Who was ever granted work, and how much of it is open.
SELECT runner, boot, granted_at, run, schedule,
       (SELECT count(*) FROM runs
        WHERE runs.runner = runners.runner AND ended_at IS NULL
          AND status IN ('started', 'cancelling')) AS open_runs
FROM runners
ORDER BY runner;
