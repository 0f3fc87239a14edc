-- name: create_traffic_tables
-- What is known of deployments, of what was measured at them, and of what is proposed for them.
-- A row of subject_notes is put together from four kinds of words, each with its own sequence number;
-- with its subject removed all is null again.
CREATE TABLE subject_notes (
    subject text COLLATE "C" PRIMARY KEY,
    driver text,
    spec jsonb,
    priority bigint,
    zone text,
    defined_at timestamptz,
    defined_by text,
    record bytea,
    defined_sequence bigint NOT NULL DEFAULT -1,
    state text,
    state_actor text,
    state_since timestamptz,
    state_run text COLLATE "C",
    state_detail text,
    state_sequence bigint NOT NULL DEFAULT -1,
    stopped_by text,
    stopped_sequence bigint NOT NULL DEFAULT -1,
    last_request timestamptz,
    in_flight bigint,
    waiting bigint,
    sampled_at timestamptz,
    served bigint,
    rate bigint,
    usual bigint,
    activity_sequence bigint NOT NULL DEFAULT -1,
    held_reason text,
    held_by text,
    held_since timestamptz,
    held_until timestamptz,
    held_sequence bigint NOT NULL DEFAULT -1,
    actions_held_reason text,
    actions_held_by text,
    actions_held_since timestamptz,
    actions_held_until timestamptz,
    actions_held_sequence bigint NOT NULL DEFAULT -1
) WITH (fillfactor = 85);
CREATE INDEX subject_notes_defined ON subject_notes (subject) WHERE spec IS NOT NULL;

CREATE VIEW deployments AS
SELECT subject, driver, spec, priority, zone, defined_at, defined_by, record,
       coalesce(state, 'unknown') AS state, state_actor, state_since, state_run, state_detail,
       stopped_by, last_request, in_flight, waiting, sampled_at, served, rate, usual,
       held_reason, held_by, held_since, held_until,
       actions_held_reason, actions_held_by, actions_held_since, actions_held_until
FROM subject_notes
WHERE spec IS NOT NULL;

-- Sixty minutes of UTC in a row. kinds: 0 nothing was seen, 1 unknown, 2 idle, 3 active;
-- rates: thousandths of a request a minute, -1: it cannot be told.
CREATE TABLE traffic_hours (
    subject text COLLATE "C" NOT NULL,
    hour timestamptz NOT NULL,
    kinds smallint[] NOT NULL,
    rates int[] NOT NULL,
    samples smallint[] NOT NULL,
    PRIMARY KEY (subject, hour)
) WITH (fillfactor = 85);  -- the row of the present hour is written anew each minute
CREATE INDEX traffic_hours_by_time ON traffic_hours (hour);

CREATE VIEW traffic_minutes AS
SELECT subject,
       hour + (place - 1) * interval '1 minute' AS minute,
       (ARRAY['unknown', 'idle', 'active'])[seen.kind] AS kind,
       nullif(seen.rate, -1)::bigint AS rate_per_minute,
       seen.samples::bigint AS samples
FROM traffic_hours,
     unnest(kinds, rates, samples) WITH ORDINALITY AS seen (kind, rate, samples, place)
WHERE seen.kind > 0;

-- Of which subjects traffic was seen, and since when that is not in their profiles.
CREATE TABLE traffic_subjects (
    subject text COLLATE "C" PRIMARY KEY,
    changed_at timestamptz,
    computed_at timestamptz,
    zone text
);

CREATE TABLE traffic_profiles (
    subject text COLLATE "C" NOT NULL,
    zone text NOT NULL,
    days bigint NOT NULL,
    computed_at timestamptz NOT NULL,
    hour bigint NOT NULL,
    p50 bigint,
    p95 bigint,
    active_share bigint NOT NULL,
    minutes bigint NOT NULL,
    weeks bigint NOT NULL,
    idle_weeks bigint NOT NULL,
    PRIMARY KEY (subject, hour)
);

CREATE TABLE proposals (
    subject text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    status text NOT NULL,
    windows jsonb NOT NULL,
    zone text NOT NULL,
    source text NOT NULL,
    confidence bigint NOT NULL,
    reason text NOT NULL,
    prompt text NOT NULL,
    answer text NOT NULL,
    proposed_at timestamptz NOT NULL,
    proposed_by text NOT NULL,
    partition bigint NOT NULL,
    sequence bigint NOT NULL,
    settled_at timestamptz,
    settled_by text,
    settled_reason text,
    schedules text[],
    PRIMARY KEY (subject, id)
);
CREATE INDEX proposals_by_id ON proposals (id);
CREATE INDEX proposals_by_time ON proposals (proposed_at, subject, id);

-- name: traffic_counts
-- How many rows and minutes there are of what a rebuild must not lose, leaving out what is not kept.
SELECT
    (SELECT count(*) FROM deployments) AS deployments,
    (SELECT count(*) FROM proposals) AS proposals,
    (SELECT count(*) FROM traffic_hours
     WHERE hour >= now() - make_interval(days => %(traffic_days)s)) AS traffic_hours,
    (SELECT coalesce(sum(cardinality(array_remove(kinds, 0::smallint))), 0)::bigint
     FROM traffic_hours
     WHERE hour >= now() - make_interval(days => %(traffic_days)s)) AS traffic_minutes;
