-- name: merge_schedules
-- Put newer rows over older ones; a version never goes back.
INSERT INTO schedules AS kept
SELECT * FROM staged_schedules
ON CONFLICT (schedule) DO UPDATE SET
    subject = excluded.subject,
    version = excluded.version,
    incarnation = excluded.incarnation,
    status = excluded.status,
    created_at = excluded.created_at,
    changed_at = excluded.changed_at,
    actor = excluded.actor,
    zone = excluded.zone,
    definition = excluded.definition,
    description = excluded.description,
    pause_reason = excluded.pause_reason,
    pause_actor = excluded.pause_actor,
    paused_since = excluded.paused_since,
    paused_until = excluded.paused_until,
    log_partition = excluded.log_partition,
    log_offset = excluded.log_offset,
    record = excluded.record,
    work = excluded.work
WHERE (excluded.version, excluded.log_offset) > (kept.version, kept.log_offset);

-- name: merge_removals
-- Take away schedules whose removal is newer than their row.
DELETE FROM schedules AS kept
USING staged_removals AS removed
WHERE kept.schedule = removed.schedule AND kept.log_offset < removed.log_offset;

-- name: merge_schedule_versions
-- Add versions; what a version was never changes.
INSERT INTO schedule_versions
SELECT * FROM staged_schedule_versions
ON CONFLICT (schedule, version) DO NOTHING;

-- name: merge_occurrences
-- Put newer states over older ones; an end is never replaced by a deferral.
INSERT INTO occurrences AS kept
SELECT * FROM staged_occurrences
ON CONFLICT (schedule, nominal, incarnation, origin) DO UPDATE SET
    last = excluded.last,
    count = excluded.count,
    version = excluded.version,
    state = excluded.state,
    reason = excluded.reason,
    due = excluded.due,
    late = excluded.late,
    lateness = excluded.lateness,
    decided_at = excluded.decided_at,
    wall = excluded.wall,
    second_pass = excluded.second_pass,
    scopes = excluded.scopes,
    next = excluded.next,
    next_due = excluded.next_due,
    deferred_at = excluded.deferred_at,
    deferrals = excluded.deferrals,
    until = excluded.until,
    evidence = excluded.evidence,
    actor = excluded.actor,
    command_id = excluded.command_id,
    partition = excluded.partition,
    sequence = excluded.sequence,
    cause_offset = excluded.cause_offset,
    globals_offset = excluded.globals_offset
WHERE (excluded.state <> 'deferred', excluded.sequence)
    > (kept.state <> 'deferred', kept.sequence);

-- name: merge_audit
-- Add outcomes; each stands at its own place in the ledger.
INSERT INTO audit
SELECT * FROM staged_audit
ON CONFLICT (log_partition, log_offset) DO NOTHING;

-- name: merge_holds
-- Put the newer word about a hold over the older one.
INSERT INTO holds AS kept
SELECT * FROM staged_holds
ON CONFLICT (name) DO UPDATE SET
    held = excluded.held,
    reason = excluded.reason,
    actor = excluded.actor,
    since = excluded.since,
    command_id = excluded.command_id,
    log_offset = excluded.log_offset
WHERE excluded.log_offset > kept.log_offset;

-- name: merge_calendars
-- Put the newer record of a calendar over the older one.
INSERT INTO calendars AS kept
SELECT * FROM staged_calendars
ON CONFLICT (name) DO UPDATE SET
    removed = excluded.removed,
    content = excluded.content,
    description = excluded.description,
    actor = excluded.actor,
    changed_at = excluded.changed_at,
    command_id = excluded.command_id,
    version = excluded.version
WHERE excluded.version > kept.version;

-- name: merge_freezes
-- Put the newer record of a freeze over the older one.
INSERT INTO freezes AS kept
SELECT * FROM staged_freezes
ON CONFLICT (name) DO UPDATE SET
    lifted = excluded.lifted,
    subjects = excluded.subjects,
    begins_at = excluded.begins_at,
    ends_at = excluded.ends_at,
    reason = excluded.reason,
    actor = excluded.actor,
    changed_at = excluded.changed_at,
    command_id = excluded.command_id,
    version = excluded.version
WHERE excluded.version > kept.version;

-- name: park
-- Keep a record that cannot become rows, with the reason.
INSERT INTO parked (topic, log_partition, log_offset, error, sqlstate, key, value, size)
VALUES (%(topic)s, %(partition)s, %(offset)s, %(error)s, %(sqlstate)s,
        %(key)s, %(value)s, %(size)s)
ON CONFLICT (topic, log_partition, log_offset) DO NOTHING;

-- name: save_offsets
-- Say how far the rows of this version have come; a null record time leaves the known one.
INSERT INTO projection_offsets AS kept
    (topic, partition, topic_id, next_offset, leader_epoch, end_offset, record_at, version)
SELECT * FROM unnest(
    %(topics)s::text[], %(partitions)s::bigint[], %(topic_ids)s::text[],
    %(next_offsets)s::bigint[], %(leader_epochs)s::bigint[], %(end_offsets)s::bigint[],
    %(record_at)s::timestamptz[], %(versions)s::bigint[])
ON CONFLICT (topic, partition) DO UPDATE SET
    next_offset = excluded.next_offset,
    leader_epoch = excluded.leader_epoch,
    end_offset = excluded.end_offset,
    record_at = coalesce(excluded.record_at, kept.record_at),
    saved_at = now();
