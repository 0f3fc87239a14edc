-- name: create_tables
-- All tables of one projection version, empty; no keys between them, since each is filled alone.
-- Ids compare by their bytes: the same order everywhere, and the quickest.
CREATE TABLE schedules (
    schedule text COLLATE "C" PRIMARY KEY,
    subject text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    incarnation bigint NOT NULL,
    status text NOT NULL,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    actor text NOT NULL,
    zone text NOT NULL,
    definition jsonb NOT NULL,
    description text NOT NULL,
    pause_reason text,
    pause_actor text,
    paused_since timestamptz,
    paused_until timestamptz,
    log_partition bigint NOT NULL,
    log_offset bigint NOT NULL,
    record bytea NOT NULL,
    work text
);
CREATE INDEX schedules_by_subject ON schedules (subject, schedule);

CREATE TABLE schedule_versions (
    schedule text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    incarnation bigint NOT NULL,
    previous_version bigint,
    change text NOT NULL,
    definition jsonb,
    begins_at timestamptz,
    next timestamptz,
    next_due timestamptz,
    decided_at timestamptz NOT NULL,
    actor text NOT NULL,
    command_id text,
    partition bigint NOT NULL,
    sequence bigint NOT NULL,
    cause_offset bigint,
    record bytea NOT NULL,
    work text,
    PRIMARY KEY (schedule, version)
);
CREATE INDEX schedule_versions_reported ON schedule_versions (schedule) WHERE work IS NOT NULL;

CREATE TABLE occurrences (
    nominal timestamptz NOT NULL,
    incarnation bigint NOT NULL,
    last timestamptz NOT NULL,
    count bigint NOT NULL,
    version bigint NOT NULL,
    lateness bigint NOT NULL,
    decided_at timestamptz NOT NULL,
    deferrals bigint NOT NULL,
    partition bigint NOT NULL,
    sequence bigint NOT NULL,
    globals_offset bigint NOT NULL,
    due timestamptz,
    wall timestamp,
    second_pass bigint,
    schedule text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL,
    state text NOT NULL,
    reason text,
    late boolean NOT NULL,
    scopes jsonb,
    next timestamptz,
    next_due timestamptz,
    deferred_at timestamptz,
    until timestamptz,
    evidence text,
    actor text NOT NULL,
    command_id text,
    cause_offset bigint,
    PRIMARY KEY (schedule, nominal, incarnation, origin)
) PARTITION BY RANGE (nominal);

CREATE TABLE audit (
    log_partition bigint NOT NULL,
    log_offset bigint NOT NULL,
    schedule text COLLATE "C",
    outcome text NOT NULL,
    command text,
    decided_at timestamptz NOT NULL,
    actor text NOT NULL,
    reason text,
    field text,
    version bigint,
    incarnation bigint,
    next timestamptz,
    next_due timestamptz,
    until timestamptz,
    command_id text,
    trace text,
    partition bigint NOT NULL,
    sequence bigint NOT NULL,
    cause_offset bigint,
    globals_offset bigint NOT NULL,
    PRIMARY KEY (log_partition, log_offset)
);
CREATE INDEX audit_by_schedule ON audit (schedule, decided_at, log_partition, log_offset);
CREATE INDEX audit_by_time ON audit (decided_at, log_partition, log_offset);

CREATE TABLE runs (
    run text COLLATE "C" PRIMARY KEY,
    schedule text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    incarnation bigint NOT NULL,
    nominal timestamptz NOT NULL,
    origin text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    partition bigint NOT NULL,
    sequence bigint NOT NULL,
    changed_at timestamptz NOT NULL,
    attempt bigint NOT NULL,
    status text NOT NULL,
    shown_as text NOT NULL,
    reason text,
    detail text NOT NULL,
    until timestamptz,
    work text,
    due timestamptz,
    late boolean,
    fired_at timestamptz NOT NULL,
    actor text,
    command_id text,
    given_out_at timestamptz,
    started_at timestamptz,
    ended_at timestamptz,
    runner text COLLATE "C",
    exit_code bigint,
    output text,
    output_cut boolean NOT NULL,
    output_dropped boolean NOT NULL,
    reference text,
    lateness bigint GENERATED ALWAYS AS
        ((extract(epoch FROM started_at - due) * 1000000)::bigint) STORED,
    queue_time bigint GENERATED ALWAYS AS
        ((extract(epoch FROM started_at - fired_at) * 1000000)::bigint) STORED,
    duration bigint GENERATED ALWAYS AS
        ((extract(epoch FROM ended_at - started_at) * 1000000)::bigint) STORED
);
CREATE INDEX runs_by_time ON runs (fired_at, run);
CREATE INDEX runs_by_schedule ON runs (schedule, fired_at, run);
CREATE INDEX runs_by_subject ON runs (subject, fired_at, run);
CREATE INDEX runs_ended ON runs (schedule, sequence) WHERE ended_at IS NOT NULL;
CREATE INDEX runs_open ON runs (status) WHERE ended_at IS NULL;
CREATE INDEX runs_with_output ON runs (ended_at) WHERE output <> '';

CREATE TABLE run_attempts (
    run text COLLATE "C" NOT NULL,
    attempt bigint NOT NULL,
    sequence bigint NOT NULL,
    offers bigint NOT NULL,
    given_out_at timestamptz,
    runner text COLLATE "C",
    boot bigint,
    granted_at timestamptz,
    started_at timestamptz,
    ended_at timestamptz,
    status text NOT NULL,
    detail text NOT NULL,
    exit_code bigint,
    output text,
    output_cut boolean NOT NULL,
    output_dropped boolean NOT NULL,
    reference text,
    PRIMARY KEY (run, attempt)
);
CREATE INDEX run_attempts_with_output ON run_attempts (ended_at) WHERE output <> '';

CREATE TABLE insights (
    partition bigint NOT NULL,
    sequence bigint NOT NULL,
    subject text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    about text COLLATE "C" NOT NULL,
    message text NOT NULL,
    raised_at timestamptz NOT NULL,
    resolved_at timestamptz,
    resolution text,
    resolved_by text,
    PRIMARY KEY (partition, sequence)
);
CREATE INDEX insights_open ON insights (subject, kind, about) WHERE resolved_at IS NULL;
CREATE INDEX insights_by_time ON insights (raised_at, partition, sequence);

CREATE TABLE subjects (
    subject text COLLATE "C" PRIMARY KEY,
    app jsonb,
    changed_at timestamptz NOT NULL,
    actor text NOT NULL,
    sequence bigint NOT NULL,
    removed_at timestamptz
);

CREATE TABLE runners (
    runner text COLLATE "C" PRIMARY KEY,
    boot bigint NOT NULL,
    granted_at timestamptz NOT NULL,
    run text COLLATE "C" NOT NULL,
    schedule text COLLATE "C" NOT NULL
);

CREATE TABLE holds (
    name text PRIMARY KEY,
    held boolean NOT NULL,
    reason text NOT NULL,
    actor text NOT NULL,
    since timestamptz NOT NULL,
    command_id text,
    log_offset bigint NOT NULL
);

CREATE TABLE calendars (
    name text COLLATE "C" PRIMARY KEY,
    removed boolean NOT NULL,
    content jsonb NOT NULL,
    description text NOT NULL,
    actor text NOT NULL,
    changed_at timestamptz NOT NULL,
    command_id text,
    version bigint NOT NULL
);

CREATE TABLE freezes (
    name text COLLATE "C" PRIMARY KEY,
    lifted boolean NOT NULL,
    subjects jsonb NOT NULL,
    begins_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    reason text NOT NULL,
    actor text NOT NULL,
    changed_at timestamptz NOT NULL,
    command_id text,
    version bigint NOT NULL
);

CREATE TABLE parked (
    topic text NOT NULL,
    log_partition bigint NOT NULL,
    log_offset bigint NOT NULL,
    error text NOT NULL,
    sqlstate text,
    key bytea,
    value bytea,
    size bigint NOT NULL,
    parked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, log_partition, log_offset)
);

CREATE TABLE projection_offsets (
    topic text NOT NULL,
    partition bigint NOT NULL,
    topic_id text NOT NULL,
    next_offset bigint NOT NULL,
    leader_epoch bigint,
    end_offset bigint NOT NULL,
    record_at timestamptz,
    saved_at timestamptz NOT NULL DEFAULT now(),
    version bigint NOT NULL,
    PRIMARY KEY (topic, partition)
);

-- name: create_staging
-- The tables that a batch is copied into before it is merged; gone with the session.
CREATE TEMP TABLE staged_schedules (LIKE schedules) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_removals (
    schedule text COLLATE "C" NOT NULL, log_offset bigint NOT NULL
) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_schedule_versions (LIKE schedule_versions) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_occurrences (LIKE occurrences) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_audit (LIKE audit) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_runs (LIKE runs) ON COMMIT DELETE ROWS;
ALTER TABLE staged_runs DROP COLUMN lateness, DROP COLUMN queue_time, DROP COLUMN duration,
    ALTER COLUMN status DROP NOT NULL;
CREATE TEMP TABLE staged_run_attempts (LIKE run_attempts, certain boolean NOT NULL)
    ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_insights (
    partition bigint NOT NULL,
    sequence bigint NOT NULL,
    subject text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    about text COLLATE "C" NOT NULL,
    message text NOT NULL,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    raised boolean NOT NULL
) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_subjects (LIKE subjects) ON COMMIT DELETE ROWS;
ALTER TABLE staged_subjects DROP COLUMN removed_at;
CREATE TEMP TABLE staged_runners (LIKE runners) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_holds (LIKE holds) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_calendars (LIKE calendars) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_freezes (LIKE freezes) ON COMMIT DELETE ROWS;

-- name: counts
-- How many rows there are of what a rebuild must not lose, leaving out what is not kept.
WITH kept_runs AS (
    SELECT run FROM (
        SELECT run, ended_at,
               row_number() OVER (PARTITION BY schedule, ended_at IS NULL
                                  ORDER BY sequence DESC) AS place
        FROM runs
    ) placed
    WHERE ended_at IS NULL OR place <= %(history_keep)s
)
SELECT
    (SELECT count(*) FROM schedules) AS schedules,
    (SELECT count(*) FROM schedule_versions) AS schedule_versions,
    (SELECT count(*) FROM occurrences
     WHERE %(days)s::int IS NULL
        OR nominal >= (date_trunc('day', now() AT TIME ZONE 'UTC')
                       - make_interval(days => %(days)s::int)) AT TIME ZONE 'UTC') AS occurrences,
    (SELECT count(*) FROM kept_runs) AS runs,
    (SELECT count(*) FROM run_attempts JOIN kept_runs USING (run)) AS run_attempts,
    (SELECT count(*) FROM insights) AS insights,
    (SELECT count(*) FROM subjects) AS subjects,
    (SELECT count(*) FROM runners) AS runners,
    (SELECT count(*) FROM audit) AS audit,
    (SELECT count(*) FROM holds) AS holds,
    (SELECT count(*) FROM calendars) AS calendars,
    (SELECT count(*) FROM freezes) AS freezes;

-- name: days
-- The days of which there is a partition of occurrences.
SELECT substr(c.relname, 13) AS day
FROM pg_inherits i
JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'occurrences'::regclass
ORDER BY day;

-- name: retention_cutoff
-- The first instant that is kept: the beginning of a day of UTC so many days ago.
SELECT date_trunc('day', now() AT TIME ZONE 'UTC')
       - make_interval(days => %(days)s) AS cutoff;

-- name: clear_staging
-- Empty the staging tables within a transaction, between the pieces of a batch.
TRUNCATE staged_schedules, staged_removals, staged_schedule_versions, staged_occurrences,
    staged_audit, staged_runs, staged_run_attempts, staged_insights, staged_subjects, staged_runners,
    staged_holds, staged_calendars, staged_freezes;
