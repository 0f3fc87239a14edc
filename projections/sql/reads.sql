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
