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
    record bytea NOT NULL
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
    PRIMARY KEY (schedule, version)
);

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
CREATE TEMP TABLE staged_holds (LIKE holds) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_calendars (LIKE calendars) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_freezes (LIKE freezes) ON COMMIT DELETE ROWS;

-- name: counts
-- How many rows there are of what a rebuild must not lose, leaving out days that are not kept.
SELECT
    (SELECT count(*) FROM schedules) AS schedules,
    (SELECT count(*) FROM schedule_versions) AS schedule_versions,
    (SELECT count(*) FROM occurrences
     WHERE %(days)s::int IS NULL
        OR nominal >= (date_trunc('day', now() AT TIME ZONE 'UTC')
                       - make_interval(days => %(days)s::int)) AT TIME ZONE 'UTC') AS occurrences,
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
    staged_audit, staged_holds, staged_calendars, staged_freezes;
