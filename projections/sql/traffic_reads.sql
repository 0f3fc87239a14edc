-- name: list_deployments
-- Deployments in the order of their subjects; a null subject takes all.
SELECT subject, record, state, state_actor, state_since, state_run, state_detail, stopped_by,
       last_request, in_flight, waiting, sampled_at, served, rate, usual,
       held_reason, held_by, held_since, held_until,
       actions_held_reason, actions_held_by, actions_held_since, actions_held_until,
       defined_at, defined_by
FROM deployments
WHERE (%(subject)s::text IS NULL OR subject = %(subject)s)
  AND (%(state)s::text IS NULL OR state = %(state)s)
ORDER BY subject;

-- name: sampled_deployments
-- What a sampler has to know of each deployment.
SELECT subject, record, served, sampled_at FROM deployments ORDER BY subject;

-- name: profiled_subjects
-- Which subjects have a profile.
SELECT DISTINCT subject FROM traffic_profiles ORDER BY subject;

-- name: profiles_of
-- The hours of some profiles, each with what its deployment weighs.
SELECT found.subject, found.zone, coalesce(known.priority, %(usual)s) AS priority, found.days,
       found.hour, found.p50, found.p95, found.active_share, found.minutes, found.weeks,
       found.idle_weeks
FROM traffic_profiles AS found
LEFT JOIN deployments AS known USING (subject)
WHERE found.subject = ANY(%(subjects)s)
ORDER BY found.subject, found.hour;

-- name: zones_of_profiles
-- In which zone the hours of each of these profiles are.
SELECT DISTINCT ON (subject) subject, zone FROM traffic_profiles
WHERE subject = ANY(%(subjects)s)
ORDER BY subject, hour;

-- name: medians_at
-- What is usual at one hour of the week each, where that is known.
SELECT found.subject, found.p50
FROM unnest(%(subjects)s::text[], %(hours)s::int[]) AS asked (subject, hour)
JOIN traffic_profiles AS found ON found.subject = asked.subject AND found.hour = asked.hour
WHERE found.p50 IS NOT NULL;

-- name: list_proposals
-- A page of proposals, the newest first.
SELECT subject, id, status, windows, zone, source, confidence, reason, prompt, answer, proposed_at,
       proposed_by, settled_at, settled_by, settled_reason, schedules
FROM proposals
WHERE (%(status)s::text IS NULL OR status = %(status)s)
  AND (%(subject)s::text IS NULL OR subject = %(subject)s)
  AND (%(id)s::text IS NULL OR id = %(id)s)
  AND (proposed_at, subject, id) < (%(before)s, %(before_subject)s, %(before_id)s)
ORDER BY proposed_at DESC, subject DESC, id DESC
LIMIT %(limit)s;

-- name: minutes_between
-- What was seen of a subject in each minute, the first one first.
SELECT minute, kind, rate_per_minute AS rate, samples
FROM traffic_minutes
WHERE subject = %(subject)s
  AND minute >= %(since)s AND minute < %(before)s
ORDER BY minute;
