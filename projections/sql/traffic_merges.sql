-- name: create_traffic_staging
-- The tables that a batch's words about deployments and traffic are copied into.
CREATE TEMP TABLE staged_definitions (
    subject text COLLATE "C" NOT NULL, driver text, spec jsonb, priority bigint, zone text,
    defined_at timestamptz, defined_by text, record bytea, sequence bigint NOT NULL
) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_states (
    subject text COLLATE "C" NOT NULL, state text, actor text, since timestamptz, run text,
    detail text, stopped boolean NOT NULL, sequence bigint NOT NULL
) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_activities (
    subject text COLLATE "C" NOT NULL, last_request timestamptz, in_flight bigint, waiting bigint,
    sampled_at timestamptz, served bigint, rate bigint, usual bigint, sequence bigint NOT NULL
) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_subject_holds (
    subject text COLLATE "C" NOT NULL, actions_only boolean NOT NULL, reason text, actor text,
    since timestamptz, until timestamptz, sequence bigint NOT NULL
) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_removed_subjects (
    subject text COLLATE "C" NOT NULL, removed_at timestamptz NOT NULL,
    partition bigint NOT NULL, sequence bigint NOT NULL
) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_proposals (LIKE proposals) ON COMMIT DELETE ROWS;
ALTER TABLE staged_proposals DROP COLUMN settled_at, DROP COLUMN settled_by,
    DROP COLUMN settled_reason, DROP COLUMN schedules;
CREATE TEMP TABLE staged_settlements (
    subject text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, status text NOT NULL,
    at timestamptz NOT NULL, actor text NOT NULL, reason text NOT NULL, schedules text[] NOT NULL,
    partition bigint NOT NULL, sequence bigint NOT NULL
) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE staged_traffic_hours (LIKE traffic_hours) ON COMMIT DELETE ROWS;

-- name: clear_traffic_staging
-- Empty those within a transaction, between the pieces of a batch.
TRUNCATE staged_definitions, staged_states, staged_activities, staged_subject_holds,
    staged_removed_subjects, staged_proposals, staged_settlements, staged_traffic_hours;

-- name: merge_definitions
-- Put the newer word about what a deployment is over the older one.
INSERT INTO subject_notes AS kept
    (subject, driver, spec, priority, zone, defined_at, defined_by, record, defined_sequence)
SELECT * FROM staged_definitions
ON CONFLICT (subject) DO UPDATE SET
    driver = excluded.driver,
    spec = excluded.spec,
    priority = excluded.priority,
    zone = excluded.zone,
    defined_at = excluded.defined_at,
    defined_by = excluded.defined_by,
    record = excluded.record,
    defined_sequence = excluded.defined_sequence
WHERE excluded.defined_sequence > kept.defined_sequence;

-- name: merge_states
-- Put the newer state over the older one, and beside it who stopped it last.
INSERT INTO subject_notes AS kept
    (subject, state, state_actor, state_since, state_run, state_detail, state_sequence)
SELECT DISTINCT ON (subject) subject, state, actor, since, run, detail, sequence
FROM staged_states
ORDER BY subject, sequence DESC
ON CONFLICT (subject) DO UPDATE SET
    state = excluded.state,
    state_actor = excluded.state_actor,
    state_since = excluded.state_since,
    state_run = excluded.state_run,
    state_detail = excluded.state_detail,
    state_sequence = excluded.state_sequence
WHERE excluded.state_sequence > kept.state_sequence;
UPDATE subject_notes AS kept SET
    stopped_by = said.actor,
    stopped_sequence = said.sequence
FROM staged_states AS said
WHERE said.stopped AND kept.subject = said.subject AND said.sequence > kept.stopped_sequence;

-- name: merge_activities
-- Put what was seen last over what was seen before.
INSERT INTO subject_notes AS kept
    (subject, last_request, in_flight, waiting, sampled_at, served, rate, usual, activity_sequence)
SELECT * FROM staged_activities
ON CONFLICT (subject) DO UPDATE SET
    last_request = excluded.last_request,
    in_flight = excluded.in_flight,
    waiting = excluded.waiting,
    sampled_at = excluded.sampled_at,
    served = excluded.served,
    rate = excluded.rate,
    usual = excluded.usual,
    activity_sequence = excluded.activity_sequence
WHERE excluded.activity_sequence > kept.activity_sequence;

-- name: merge_subject_holds
-- Put the newer word about a hold over a subject, or over its sleep and wake, over the older one.
INSERT INTO subject_notes AS kept
    (subject, held_reason, held_by, held_since, held_until, held_sequence)
SELECT subject, reason, actor, since, until, sequence FROM staged_subject_holds
WHERE NOT actions_only
ON CONFLICT (subject) DO UPDATE SET
    held_reason = excluded.held_reason,
    held_by = excluded.held_by,
    held_since = excluded.held_since,
    held_until = excluded.held_until,
    held_sequence = excluded.held_sequence
WHERE excluded.held_sequence > kept.held_sequence;
INSERT INTO subject_notes AS kept
    (subject, actions_held_reason, actions_held_by, actions_held_since, actions_held_until,
     actions_held_sequence)
SELECT subject, reason, actor, since, until, sequence FROM staged_subject_holds
WHERE actions_only
ON CONFLICT (subject) DO UPDATE SET
    actions_held_reason = excluded.actions_held_reason,
    actions_held_by = excluded.actions_held_by,
    actions_held_since = excluded.actions_held_since,
    actions_held_until = excluded.actions_held_until,
    actions_held_sequence = excluded.actions_held_sequence
WHERE excluded.actions_held_sequence > kept.actions_held_sequence;

-- name: merge_proposals
-- Add what was proposed.
INSERT INTO proposals (subject, id, status, windows, zone, source, confidence, reason, prompt, answer,
                       proposed_at, proposed_by, partition, sequence)
SELECT * FROM staged_proposals
ON CONFLICT (subject, id) DO NOTHING;

-- name: merge_settlements
-- Say what became of proposals; the first end is their end.
UPDATE proposals AS kept SET
    status = said.status,
    settled_at = said.at,
    settled_by = said.actor,
    settled_reason = said.reason,
    schedules = said.schedules
FROM staged_settlements AS said
WHERE kept.subject = said.subject AND kept.id = said.id AND kept.status = 'open'
  AND kept.partition = said.partition AND kept.sequence < said.sequence;

-- name: merge_removed_subjects
-- Take away what was known of a subject before it was removed; its audit stays.
UPDATE subjects AS kept SET removed_at = greatest(kept.removed_at, gone.removed_at)
FROM staged_removed_subjects AS gone
WHERE kept.subject = gone.subject;
DELETE FROM insights USING staged_removed_subjects AS gone
WHERE insights.subject = gone.subject AND insights.partition = gone.partition
  AND insights.sequence < gone.sequence;
DELETE FROM proposals USING staged_removed_subjects AS gone
WHERE proposals.subject = gone.subject AND proposals.partition = gone.partition
  AND proposals.sequence < gone.sequence;
DELETE FROM traffic_profiles USING staged_removed_subjects AS gone
WHERE traffic_profiles.subject = gone.subject;
DELETE FROM traffic_subjects USING staged_removed_subjects AS gone
WHERE traffic_subjects.subject = gone.subject;
DELETE FROM traffic_hours USING staged_removed_subjects AS gone
WHERE traffic_hours.subject = gone.subject
  AND traffic_hours.hour < gone.removed_at - interval '59 minutes';
UPDATE traffic_hours AS kept SET (kinds, rates, samples) = (
    SELECT array_agg(CASE WHEN before THEN 0 ELSE kind END ORDER BY place),
           array_agg(CASE WHEN before THEN -1 ELSE rate END ORDER BY place),
           array_agg(CASE WHEN before THEN 0 ELSE seen END ORDER BY place)
    FROM unnest(kept.kinds, kept.rates, kept.samples)
             WITH ORDINALITY AS known (kind, rate, seen, place),
         LATERAL (SELECT kept.hour + (place - 1) * interval '1 minute' < gone.removed_at) AS told (before)
)
FROM staged_removed_subjects AS gone
WHERE kept.subject = gone.subject AND kept.hour < gone.removed_at;
DELETE FROM traffic_hours AS kept USING staged_removed_subjects AS gone
WHERE kept.subject = gone.subject AND kept.hour < gone.removed_at AND 0 = ALL (kept.kinds);
INSERT INTO traffic_subjects (subject, changed_at)
SELECT DISTINCT subject, now() FROM traffic_hours JOIN staged_removed_subjects USING (subject);

-- name: merge_traffic_hours
-- Put minutes over what is known of them, where they come from as many samples or more. What is late of
-- before the removal of a subject stays out.
UPDATE staged_traffic_hours AS staged SET (kinds, rates, samples) = (
    SELECT array_agg(CASE WHEN before THEN 0 ELSE kind END ORDER BY place),
           array_agg(CASE WHEN before THEN -1 ELSE rate END ORDER BY place),
           array_agg(CASE WHEN before THEN 0 ELSE seen END ORDER BY place)
    FROM unnest(staged.kinds, staged.rates, staged.samples)
             WITH ORDINALITY AS said (kind, rate, seen, place),
         LATERAL (SELECT staged.hour + (place - 1) * interval '1 minute' < gone.removed_at)
             AS told (before)
)
FROM subjects AS gone
WHERE staged.subject = gone.subject AND staged.hour < gone.removed_at;
DELETE FROM staged_traffic_hours WHERE 0 = ALL (kinds);
INSERT INTO traffic_hours AS kept
SELECT * FROM staged_traffic_hours
ON CONFLICT (subject, hour) DO UPDATE SET (kinds, rates, samples) = (
    SELECT array_agg(CASE WHEN newer THEN new_kind ELSE kind END ORDER BY place),
           array_agg(CASE WHEN newer THEN new_rate ELSE rate END ORDER BY place),
           array_agg(CASE WHEN newer THEN new_seen ELSE seen END ORDER BY place)
    FROM unnest(kept.kinds, kept.rates, kept.samples,
                excluded.kinds, excluded.rates, excluded.samples)
             WITH ORDINALITY AS both_of (kind, rate, seen, new_kind, new_rate, new_seen, place),
         LATERAL (SELECT new_kind > 0 AND new_seen >= seen) AS told (newer)
);
INSERT INTO traffic_subjects AS kept (subject, changed_at)
SELECT DISTINCT subject, now() FROM staged_traffic_hours
ON CONFLICT (subject) DO UPDATE SET changed_at = excluded.changed_at;
