-- name: lease_claim
UPDATE test_runs
SET status = 'running', lease = lease + 1, attempts = attempts + 1, worker = $1, phase = NULL, heartbeat_at = {now}, started_at = COALESCE(started_at, {now})
WHERE seq = (
	SELECT q.seq FROM test_runs q
	WHERE q.project = $3 AND q.status = 'queued' AND q.run_after <= {now}
	AND ($2 <= 0 OR q.site NOT IN (SELECT r.site FROM test_runs r WHERE r.status = 'running' GROUP BY r.site HAVING count(*) >= $2))
	ORDER BY q.priority DESC, q.seq LIMIT 1 {skip_locked}
)
RETURNING {run}

-- name: lease_projects
-- Those that have something due and may have more under way, in the order of their turns.
SELECT id FROM (
	SELECT p.id, p.turn, p.max_running, (SELECT count(*) FROM test_runs r WHERE r.status = 'running' AND r.project = p.id) AS busy
	FROM projects p
	WHERE EXISTS (SELECT 1 FROM test_runs q WHERE q.project = p.id AND q.status = 'queued' AND q.run_after <= {now})
) due
WHERE max_running <= 0 OR busy < max_running
ORDER BY busy, turn, id

-- name: lease_turn
UPDATE projects SET turn = (SELECT max(turn) + 1 FROM projects) WHERE id = $1

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

-- name: lease_weigh
UPDATE test_runs SET evidence_bytes = $3 WHERE {held}

-- name: lease_stale
SELECT {run} FROM test_runs WHERE status = 'running' AND heartbeat_at < {now} - $1 ORDER BY seq {skip_locked}

-- name: lease_queued
SELECT count(*) FROM (SELECT 1 FROM test_runs WHERE status = 'queued' LIMIT 1) q

-- name: lease_take
UPDATE test_runs
SET status = 'running', lease = lease + 1, attempts = attempts + 1, worker = $2, heartbeat_at = {now}, started_at = COALESCE(started_at, {now})
WHERE id = $1 AND status = 'queued'
RETURNING {run}
