-- name: lease_claim
UPDATE test_runs
SET status = 'running', lease = lease + 1, attempts = attempts + 1, worker = $1, phase = NULL, heartbeat_at = {now}, started_at = COALESCE(started_at, {now})
WHERE seq = (
	SELECT q.seq FROM test_runs q
	WHERE q.status = 'queued' AND q.run_after <= {now}
	AND ($2 <= 0 OR q.host NOT IN (SELECT r.host FROM test_runs r WHERE r.status = 'running' GROUP BY r.host HAVING count(*) >= $2))
	ORDER BY q.priority DESC, q.seq LIMIT 1 {skip_locked}
)
RETURNING {run}

-- name: lease_open
INSERT INTO run_attempts (run_id, lease, worker, started_at) VALUES ($1, $2, $3, {now})

-- name: lease_close
UPDATE run_attempts SET ended_at = {now}, outcome = $3, error = $4, phase = (SELECT phase FROM test_runs WHERE id = $1)
WHERE run_id = $1 AND lease = $2 AND ended_at IS NULL

-- name: lease_heartbeat
UPDATE test_runs SET heartbeat_at = {now} WHERE {held} RETURNING cancel_requested

-- name: lease_phase
UPDATE test_runs SET phase = $3, heartbeat_at = {now} WHERE {held}

-- name: lease_checkpoint
INSERT INTO phase_checkpoints (run_id, lease, phase, reached_at) VALUES ($1, $2, $3, {now})
ON CONFLICT (run_id, lease, phase) DO UPDATE SET reached_at = excluded.reached_at

-- name: lease_record
INSERT INTO run_records (run_id, lease, complete, body, saved_at) VALUES ($1, $2, $3, $4, {now})
ON CONFLICT (run_id) DO UPDATE SET lease = excluded.lease, complete = excluded.complete, body = excluded.body, saved_at = excluded.saved_at

-- name: lease_requeue
UPDATE test_runs SET status = 'queued', run_after = {now} + $3, worker = NULL, heartbeat_at = NULL, attempts = attempts - $4, error_message = $5
WHERE {held}

-- name: lease_hold
-- The run is ours, and stays it until the transaction ends.
SELECT 1 FROM test_runs WHERE {held} {lock}

-- name: lease_end
UPDATE test_runs SET status = $3, finished_at = {now}, worker = NULL, heartbeat_at = NULL, error_message = $4,
	evidence_manifest = $5, evidence_attempt = CASE WHEN CAST($5 AS TEXT) IS NULL THEN NULL ELSE CAST($2 AS BIGINT) END
WHERE {held}

-- name: lease_stale
SELECT {run} FROM test_runs WHERE status = 'running' AND heartbeat_at < {now} - $1 ORDER BY seq {skip_locked}

-- name: lease_queued
SELECT count(*) FROM (SELECT 1 FROM test_runs WHERE status = 'queued' LIMIT 1) q

-- name: lease_take
UPDATE test_runs
SET status = 'running', lease = lease + 1, attempts = attempts + 1, worker = $2, heartbeat_at = {now}, started_at = COALESCE(started_at, {now})
WHERE id = $1 AND status = 'queued'
RETURNING {run}
