-- name: create_pointer
-- The one row that says which projection version is being read; it outlives every version.
CREATE SCHEMA IF NOT EXISTS horae;
CREATE TABLE IF NOT EXISTS horae.serving (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version bigint NOT NULL,
    layout bigint NOT NULL,
    since timestamptz NOT NULL DEFAULT now()
);

-- name: has_pointer
-- Whether the pointer was ever created here.
SELECT to_regclass('horae.serving') IS NOT NULL AS found;

-- name: serving
-- Which version is being read, and with which layout of tables.
SELECT version, layout FROM horae.serving;

-- name: serve
-- Let readers read this version from now on.
INSERT INTO horae.serving (version, layout) VALUES (%(version)s, %(layout)s)
ON CONFLICT (only_row) DO UPDATE SET
    version = excluded.version, layout = excluded.layout, since = now();

-- name: built_versions
-- Every projection version that has a schema.
SELECT substr(nspname, 8)::bigint AS version
FROM pg_namespace
WHERE nspname ~ '^horae_v[0-9]+$'
ORDER BY version;

-- name: stored_offsets
-- How far the rows of this version have come.
SELECT topic, partition, topic_id, next_offset, leader_epoch
FROM projection_offsets
ORDER BY topic, partition;

-- name: try_lock
-- Become the only writer of something until the session ends, if nobody is.
SELECT pg_try_advisory_lock(%(space)s::int, %(key)s::int) AS locked;

-- name: unlock
-- Let another one write.
SELECT pg_advisory_unlock(%(space)s::int, %(key)s::int);

-- name: keep_serving
-- Until the end of the transaction, no other version is swapped in.
SELECT pg_advisory_xact_lock_shared(%(space)s::int, %(key)s::int);

-- name: stop_writers
-- Until the end of the transaction, the serving version gets no new rows; readers go on.
SELECT pg_advisory_xact_lock(%(space)s::int, %(key)s::int);

-- name: dropped_schemas
-- Versions that are to be erased.
SELECT nspname FROM pg_namespace WHERE nspname ~ '^horae_dropped_[0-9]+$' ORDER BY nspname;

-- name: days_of_schema
-- The partitions of occurrences in a schema.
SELECT c.relname
FROM pg_inherits i
JOIN pg_class c ON c.oid = i.inhrelid
JOIN pg_class parent ON parent.oid = i.inhparent AND parent.relname = 'occurrences'
JOIN pg_namespace n ON n.oid = parent.relnamespace AND n.nspname = %(schema)s
WHERE c.relkind = 'r'
ORDER BY c.relname;

-- name: lock_briefly
-- Give up on a lock before a reader that queues behind it would notice.
SET LOCAL lock_timeout = '200ms';
