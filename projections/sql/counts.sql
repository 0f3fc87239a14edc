-- name: count_schedules
-- How many schedules a list has, whatever page of it is shown.
SELECT count(*) AS total FROM schedules
WHERE (%(subject)s::text IS NULL OR subject = %(subject)s)
  AND (%(status)s::text IS NULL OR status = %(status)s)
  AND (%(containing)s::text IS NULL OR strpos(schedule, %(containing)s) > 0);
