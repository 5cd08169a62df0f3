-- name: run_insert
INSERT INTO test_runs (id, status, url, host, mode, config, settings, priority, submission_key, max_attempts, created_at, run_after, project, site, batch)
VALUES ($1, 'queued', $2, $3, $4, $5, $6, $7, $8, $9, {now}, {now} + $10, $11, $12, $13)
ON CONFLICT (project, submission_key) DO NOTHING
RETURNING seq

-- name: run_by_key
SELECT id, config, settings FROM test_runs WHERE project = $1 AND submission_key = $2

-- name: run_get
SELECT {run} FROM test_runs WHERE id = $1

-- name: run_get_of
SELECT {run} FROM test_runs WHERE id = $1 AND project = $2 AND pruned_at IS NULL

-- name: run_config
SELECT config FROM test_runs WHERE id = $1

-- name: run_settings
SELECT settings FROM test_runs WHERE id = $1

-- name: run_list
SELECT {run} FROM test_runs WHERE seq < $1 ORDER BY seq DESC LIMIT $2

-- name: run_list_status
SELECT {run} FROM test_runs WHERE seq < $1 AND status = $3 ORDER BY seq DESC LIMIT $2

-- name: run_list_host
SELECT {run} FROM test_runs WHERE seq < $1 AND host = $3 ORDER BY seq DESC LIMIT $2

-- name: run_list_both
SELECT {run} FROM test_runs WHERE seq < $1 AND host = $3 AND status = $4 ORDER BY seq DESC LIMIT $2

-- name: run_active
SELECT status, count(*) FROM test_runs WHERE status IN ('queued', 'running') GROUP BY status

-- name: run_attempts
SELECT lease, worker, started_at, ended_at, outcome, phase, error FROM run_attempts WHERE run_id = $1 ORDER BY lease

-- name: run_checkpoints
SELECT lease, phase, reached_at FROM phase_checkpoints WHERE run_id = $1 ORDER BY lease, reached_at

-- name: run_record
SELECT lease, complete, body FROM run_records WHERE run_id = $1

-- name: run_report
SELECT body FROM run_reports WHERE run_id = $1

-- name: run_scores
SELECT metric_name, score, weight, justification FROM evaluation_scores WHERE run_id = $1 ORDER BY metric_name

-- name: run_cancel_queued
UPDATE test_runs SET status = 'cancelled', finished_at = {now} WHERE id = $1 AND status = 'queued'

-- name: run_cancel_running
UPDATE test_runs SET cancel_requested = 1 WHERE id = $1 AND status = 'running'

-- name: run_retry
UPDATE test_runs SET status = 'queued', attempts = 0, run_after = {now}, finished_at = NULL, cancel_requested = 0, error_message = NULL,
	verdict = NULL, playability_score = NULL, overall_score = NULL, confidence = NULL, summary = NULL,
	evidence_attempt = NULL, evidence_manifest = NULL
WHERE id = $1 AND status IN ('failed', 'cancelled', 'parked') AND pruned_at IS NULL

-- name: run_forget_report
DELETE FROM run_reports WHERE run_id = $1

-- name: run_forget_scores
DELETE FROM evaluation_scores WHERE run_id = $1

-- name: run_forget_actions
DELETE FROM agent_actions WHERE run_id = $1

-- name: run_forget_controls
DELETE FROM control_discoveries WHERE run_id = $1

-- name: run_forget_decisions
DELETE FROM decision_log WHERE run_id = $1

-- name: run_forget_record
DELETE FROM run_records WHERE run_id = $1

-- name: run_date
UPDATE test_runs SET started_at = $2, finished_at = $3, created_at = $4, run_after = $4 WHERE id = $1

-- name: run_date_attempt
UPDATE run_attempts SET started_at = $2, ended_at = $3 WHERE run_id = $1

-- name: run_date_checkpoint
INSERT INTO phase_checkpoints (run_id, lease, phase, reached_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (run_id, lease, phase) DO UPDATE SET reached_at = excluded.reached_at
