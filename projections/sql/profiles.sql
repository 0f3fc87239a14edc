-- name: due_profiles
-- Deployments whose profile is to be computed, the one that waits longest first, and the present time.
SELECT seen.subject, known.zone, known.priority, extract(epoch FROM now())::bigint AS now
FROM traffic_subjects AS seen
JOIN deployments AS known ON known.subject = seen.subject
WHERE seen.computed_at IS NULL
   OR seen.zone IS DISTINCT FROM known.zone
   OR seen.changed_at > seen.computed_at
      AND seen.computed_at <= now() - make_interval(secs => %(every)s)
   OR seen.computed_at <= now() - make_interval(secs => %(daily)s)
ORDER BY seen.computed_at NULLS FIRST, seen.subject
LIMIT %(most)s;

-- name: hours_of_profile
-- What was seen of a subject in the last 30 days, in one row: seven hundred take longer to hand over.
SELECT array_agg(extract(epoch FROM hour)::bigint) AS begins,
       array_agg(kinds) AS kinds,
       array_agg(rates) AS rates
FROM traffic_hours
WHERE subject = %(subject)s
  AND hour > to_timestamp(%(now)s) - interval '721 hours' AND hour <= to_timestamp(%(now)s);

-- name: clear_profiles
-- Take away the older profiles.
DELETE FROM traffic_profiles WHERE subject = ANY(%(subjects)s);

-- name: copy_profiles
-- Take in the newer ones.
COPY traffic_profiles FROM STDIN (FORMAT binary);

-- name: profiles_as_of_now
-- Say of which subjects the profiles are as of now.
UPDATE traffic_subjects AS kept SET computed_at = now(), zone = done.zone
FROM unnest(%(subjects)s::text[], %(zones)s::text[]) AS done (subject, zone)
WHERE kept.subject = done.subject;

-- name: drop_old_traffic
-- Take away hours that are no longer kept, a slice of them, the oldest first.
WITH old AS (
    SELECT subject, hour FROM traffic_hours
    WHERE hour < now() - make_interval(days => %(days)s, hours => 1)
    ORDER BY hour
    LIMIT %(most)s
), gone AS (
    DELETE FROM traffic_hours AS kept USING old
    WHERE kept.subject = old.subject AND kept.hour = old.hour
    RETURNING kept.hour
)
SELECT count(*) FROM gone;
