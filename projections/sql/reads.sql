-- name: lag
-- How far the rows of each partition are behind the log, by this server's clock.
SELECT topic, partition, next_offset,
       greatest(end_offset - next_offset, 0) AS records,
       CASE WHEN end_offset > next_offset AND record_at IS NOT NULL
            THEN greatest(extract(epoch FROM now() - record_at), 0)::float8
            ELSE 0 END AS seconds,
       greatest(extract(epoch FROM now() - saved_at), 0)::float8 AS saved_seconds_ago
FROM projection_offsets
ORDER BY topic, partition;

-- name: enter
-- Read the serving version, for this transaction and by its own snapshot.
SELECT set_config('search_path', 'horae_v' || version, true), version FROM horae.serving;

-- name: list_schedules
-- A page of schedules in the order of their ids, each with its last occurrence and its next instant.
SELECT s.schedule, s.subject, s.version, s.incarnation, s.status, s.created_at, s.changed_at,
       s.actor, s.zone, s.description, s.definition, s.pause_reason, s.pause_actor,
       s.paused_since, s.paused_until, s.record,
       last.nominal AS last_nominal, last.state AS last_state, last.reason AS last_reason,
       last.decided_at AS last_decided_at,
       CASE WHEN s.status = 'enabled' THEN following.next END AS next,
       CASE WHEN s.status = 'enabled' THEN following.next_due END AS next_due
FROM (
    SELECT * FROM schedules
    WHERE schedule > %(after)s
      AND (%(schedule)s::text IS NULL OR schedule = %(schedule)s)
      AND (%(subject)s::text IS NULL OR subject = %(subject)s)
      AND (%(status)s::text IS NULL OR status = %(status)s)
      AND (%(containing)s::text IS NULL OR strpos(schedule, %(containing)s) > 0)
    ORDER BY schedule
    LIMIT %(limit)s
) s
LEFT JOIN LATERAL (
    SELECT nominal, state, reason, decided_at, sequence, next, next_due
    FROM occurrences
    WHERE schedule = s.schedule AND incarnation = s.incarnation
    ORDER BY nominal DESC
    LIMIT 1
) last ON true
LEFT JOIN LATERAL (
    SELECT said.next, said.next_due
    FROM (
        (SELECT sequence, next, next_due FROM audit
         WHERE schedule = s.schedule
           AND outcome IN ('defined', 'changed', 'resumed', 'recomputed')
         ORDER BY decided_at DESC, log_partition DESC, log_offset DESC
         LIMIT 1)
        UNION ALL
        SELECT last.sequence, last.next, last.next_due WHERE last.sequence IS NOT NULL
    ) said
    ORDER BY said.sequence DESC
    LIMIT 1
) following ON true
ORDER BY s.schedule;

-- name: list_versions
-- Every version that a schedule had, the newest first.
SELECT schedule, version, incarnation, previous_version, change, definition, begins_at, next,
       next_due, decided_at, actor, command_id, partition, sequence, cause_offset, record
FROM schedule_versions
WHERE schedule = %(schedule)s
ORDER BY version DESC;

-- name: list_occurrences
-- A page of a schedule's occurrences, the newest first.
SELECT schedule, nominal, incarnation, origin, last, count, version, state, reason, due, late,
       lateness, decided_at, wall, second_pass, scopes, next, next_due, deferred_at, deferrals, until,
       evidence, actor, command_id, partition, sequence, cause_offset, globals_offset
FROM occurrences
WHERE schedule = %(schedule)s
  AND nominal >= %(since)s AND nominal < coalesce(%(before)s::timestamptz, 'infinity')
  AND nominal <= %(nominal)s
  AND (nominal, incarnation, origin) < (%(nominal)s, %(incarnation)s, %(origin)s)
  AND (%(state)s::text IS NULL OR state = %(state)s)
  AND (%(reason)s::text IS NULL OR reason = %(reason)s)
ORDER BY nominal DESC, incarnation DESC, origin DESC
LIMIT %(limit)s;

-- name: occurrence_at
-- What became of one nominal instant: the latest record that begins no later, if it reaches there.
SELECT * FROM (
    SELECT schedule, nominal, incarnation, origin, last, count, version, state, reason, due, late,
           lateness, decided_at, wall, second_pass, scopes, next, next_due, deferred_at, deferrals, until,
           evidence, actor, command_id, partition, sequence, cause_offset, globals_offset
    FROM occurrences
    WHERE schedule = %(schedule)s AND nominal <= %(nominal)s AND origin = ''
    ORDER BY nominal DESC, incarnation DESC
    LIMIT 1
) latest
WHERE last >= %(nominal)s;

-- name: list_audit
-- A page of what was asked and what became of it, the newest first.
SELECT log_partition, log_offset, schedule, outcome, command, decided_at, actor, reason, field,
       version, incarnation, next, next_due, until, command_id, trace, partition, sequence, cause_offset,
       globals_offset
FROM audit
WHERE (%(schedule)s::text IS NULL OR schedule = %(schedule)s)
  AND (%(outcome)s::text IS NULL OR outcome = %(outcome)s)
  AND (%(actor)s::text IS NULL OR actor = %(actor)s)
  AND decided_at >= %(since)s AND decided_at < coalesce(%(before)s::timestamptz, 'infinity')
  AND (decided_at, log_partition, log_offset)
    < (%(decided_at)s, %(log_partition)s, %(log_offset)s)
ORDER BY decided_at DESC, log_partition DESC, log_offset DESC
LIMIT %(limit)s;

-- name: list_holds
-- What is or was held, and by whom.
SELECT name, held, reason, actor, since, command_id FROM holds ORDER BY name;

-- name: list_calendars
-- The shared calendars, also those that are gone.
SELECT name, removed, content, description, actor, changed_at, command_id, version
FROM calendars ORDER BY name;

-- name: list_freezes
-- What is, was or will be frozen, and by whom.
SELECT name, lifted, subjects, begins_at, ends_at, reason, actor, changed_at, command_id, version
FROM freezes ORDER BY name;

-- name: list_parked
-- Records that could not become rows, the newest first.
SELECT topic, log_partition, log_offset, error, sqlstate, size, parked_at
FROM parked
ORDER BY parked_at DESC, topic, log_partition, log_offset DESC
LIMIT %(limit)s;
