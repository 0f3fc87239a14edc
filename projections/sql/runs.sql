-- name: merge_runs
-- Put what is newer about each run over what is known; what an event does not say stays.
-- A null status leaves the state as it is: only how long it is good for is newer.
INSERT INTO runs AS kept (
    run, schedule, subject, scope, version, incarnation, nominal, origin, kind, partition, sequence,
    changed_at, attempt, status, shown_as, reason, detail, until, work, due, late, fired_at, actor,
    command_id, given_out_at, started_at, ended_at, runner, exit_code, output, output_cut,
    output_dropped, reference)
SELECT run, schedule, subject, scope, version, incarnation, nominal, origin, kind, partition,
       sequence, changed_at, attempt, coalesce(status, 'started'), shown_as, reason, detail, until,
       work, due, late, fired_at, actor, command_id, given_out_at, started_at, ended_at, runner,
       exit_code, output, output_cut, output_dropped, reference
FROM staged_runs
WHERE status IS NOT NULL
ON CONFLICT (run) DO UPDATE SET
    version = excluded.version,
    sequence = excluded.sequence,
    changed_at = excluded.changed_at,
    attempt = greatest(excluded.attempt, kept.attempt),
    status = excluded.status,
    shown_as = excluded.shown_as,
    reason = excluded.reason,
    detail = excluded.detail,
    until = excluded.until,
    work = coalesce(excluded.work, kept.work),
    due = coalesce(excluded.due, kept.due),
    late = coalesce(excluded.late, kept.late),
    actor = coalesce(excluded.actor, kept.actor),
    command_id = coalesce(excluded.command_id, kept.command_id),
    given_out_at = coalesce(excluded.given_out_at, kept.given_out_at),
    started_at = CASE WHEN excluded.ended_at IS NULL
                      THEN coalesce(kept.started_at, excluded.started_at)
                      ELSE excluded.started_at END,
    ended_at = excluded.ended_at,
    runner = coalesce(excluded.runner, kept.runner),
    exit_code = excluded.exit_code,
    output = excluded.output,
    output_cut = excluded.output_cut,
    reference = excluded.reference
WHERE excluded.sequence > kept.sequence AND kept.ended_at IS NULL;
UPDATE runs AS kept SET
    sequence = heard.sequence,
    changed_at = heard.changed_at,
    until = heard.until
FROM staged_runs AS heard
WHERE heard.status IS NULL AND kept.run = heard.run AND kept.ended_at IS NULL
  AND heard.sequence > kept.sequence;

-- name: merge_run_attempts
-- Put what is newer about each attempt over what is known; its first end is its end.
-- An attempt that may never have been given out is entered only where it was.
INSERT INTO run_attempts AS kept (
    run, attempt, sequence, offers, given_out_at, runner, boot, granted_at, started_at, ended_at,
    status, detail, exit_code, output, output_cut, output_dropped, reference)
SELECT run, attempt, sequence, offers, given_out_at, runner, boot, granted_at, started_at, ended_at,
       status, detail, exit_code, output, output_cut, output_dropped, reference
FROM staged_run_attempts AS staged
WHERE certain OR EXISTS (
    SELECT FROM run_attempts known
    WHERE known.run = staged.run AND known.attempt = staged.attempt)
ON CONFLICT (run, attempt) DO UPDATE SET
    sequence = excluded.sequence,
    offers = greatest(excluded.offers, kept.offers),
    given_out_at = coalesce(excluded.given_out_at, kept.given_out_at),
    runner = coalesce(excluded.runner, kept.runner),
    boot = coalesce(excluded.boot, kept.boot),
    granted_at = coalesce(excluded.granted_at, kept.granted_at),
    started_at = coalesce(excluded.started_at, kept.started_at),
    ended_at = excluded.ended_at,
    status = excluded.status,
    detail = excluded.detail,
    exit_code = excluded.exit_code,
    output = excluded.output,
    output_cut = excluded.output_cut,
    reference = excluded.reference
WHERE excluded.sequence > kept.sequence AND kept.ended_at IS NULL;

-- name: merge_insights
-- Add what was raised; what is open ends with the first word behind it that it is so no longer.
INSERT INTO insights (partition, sequence, subject, kind, about, message, raised_at)
SELECT partition, sequence, subject, kind, about, message, at
FROM staged_insights
WHERE raised
ON CONFLICT (partition, sequence) DO NOTHING;
UPDATE insights AS kept SET
    resolved_at = found.at,
    resolution = found.message,
    resolved_by = found.actor
FROM (
    SELECT DISTINCT ON (open.partition, open.sequence)
           open.partition, open.sequence, said.at, said.message, said.actor
    FROM staged_insights AS said
    JOIN insights AS open
      ON open.subject = said.subject AND open.resolved_at IS NULL
     AND open.kind = said.kind AND open.about = said.about
     AND open.partition = said.partition AND open.sequence < said.sequence
    WHERE NOT said.raised
    ORDER BY open.partition, open.sequence, said.sequence
) AS found
WHERE kept.partition = found.partition AND kept.sequence = found.sequence;

-- name: merge_subjects
-- Put the newer word about what a subject's containers are made of over the older one.
INSERT INTO subjects AS kept (subject, app, changed_at, actor, sequence)
SELECT * FROM staged_subjects
ON CONFLICT (subject) DO UPDATE SET
    app = excluded.app,
    changed_at = excluded.changed_at,
    actor = excluded.actor,
    sequence = excluded.sequence
WHERE excluded.sequence > kept.sequence;

-- name: merge_runners
-- Put a later life, or a later grant, over an earlier one.
INSERT INTO runners AS kept
SELECT * FROM staged_runners
ON CONFLICT (runner) DO UPDATE SET
    boot = excluded.boot,
    granted_at = excluded.granted_at,
    run = excluded.run,
    schedule = excluded.schedule
WHERE (excluded.boot, excluded.granted_at, excluded.run) > (kept.boot, kept.granted_at, kept.run);

-- name: tracked_versions
-- What somebody reports about: every version of schedules that had such a one.
SELECT schedule, version, work FROM schedule_versions
WHERE schedule IN (SELECT schedule FROM schedule_versions WHERE work IS NOT NULL)
UNION
SELECT schedule, version, work FROM schedules WHERE work IS NOT NULL;

-- name: just_ended
-- What is known of the runs that this batch has ended.
SELECT kept.status, kept.work, kept.duration, kept.queue_time
FROM staged_runs AS staged
JOIN runs AS kept ON kept.run = staged.run
WHERE staged.ended_at IS NOT NULL AND kept.sequence = staged.sequence;

-- name: open_runs
-- How many runs are in each state that is no end.
SELECT status, count(*) FROM runs WHERE ended_at IS NULL GROUP BY status;

-- name: next_schedules
-- The next few schedules that have ended runs.
SELECT schedule FROM runs
WHERE schedule > %(after)s AND ended_at IS NOT NULL
GROUP BY schedule
ORDER BY schedule
LIMIT %(most)s;

-- name: drop_old_runs
-- Take away ended runs behind the newest so many of each of these schedules, a slice of them.
WITH gone AS (
    DELETE FROM runs
    USING (
        SELECT old.run
        FROM unnest(%(schedules)s::text[]) AS wanted (schedule)
        CROSS JOIN LATERAL (
            SELECT run FROM runs
            WHERE schedule = wanted.schedule AND ended_at IS NOT NULL
            ORDER BY sequence DESC
            OFFSET %(keep)s
        ) AS old
        LIMIT %(most)s
    ) AS old
    WHERE runs.run = old.run
    RETURNING runs.run
), attempts AS (
    DELETE FROM run_attempts USING gone WHERE run_attempts.run = gone.run
)
SELECT count(*) FROM gone;

-- name: drop_old_outputs
-- Blank the output of runs that ended too long ago, a slice of them, the oldest first.
WITH old AS (
    SELECT run FROM runs
    WHERE output <> '' AND ended_at < now() - make_interval(secs => %(seconds)s)
    ORDER BY ended_at
    LIMIT %(most)s
), blanked AS (
    UPDATE runs SET output = NULL, output_dropped = true
    FROM old WHERE runs.run = old.run
    RETURNING runs.run
)
SELECT count(*) FROM blanked;

-- name: drop_old_attempts_outputs
-- Blank the output of attempts that ended too long ago, a slice of them, the oldest first.
WITH old AS (
    SELECT run, attempt FROM run_attempts
    WHERE output <> '' AND ended_at < now() - make_interval(secs => %(seconds)s)
    ORDER BY ended_at
    LIMIT %(most)s
), blanked AS (
    UPDATE run_attempts AS kept SET output = NULL, output_dropped = true
    FROM old WHERE kept.run = old.run AND kept.attempt = old.attempt
    RETURNING kept.run
)
SELECT count(*) FROM blanked;
