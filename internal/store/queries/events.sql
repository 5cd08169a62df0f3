-- name: event_insert
INSERT INTO test_events (run_id, lease, phase, event_type, description, done, total, timestamp)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)

-- name: event_list
SELECT id, lease, phase, event_type, description, done, total, timestamp
FROM test_events WHERE run_id = $1 AND id > $2 ORDER BY id LIMIT $3
