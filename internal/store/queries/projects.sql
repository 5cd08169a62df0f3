-- name: project_insert
INSERT INTO projects (id, created_at) VALUES ($1, {now}) ON CONFLICT (id) DO NOTHING

-- name: project_list
SELECT id, created_at, max_queued, max_running, max_duration_ms, max_evidence_bytes, max_nano_per_day FROM projects ORDER BY id

-- name: project_get
SELECT id, created_at, max_queued, max_running, max_duration_ms, max_evidence_bytes, max_nano_per_day FROM projects WHERE id = $1

-- name: project_limit
UPDATE projects SET max_queued = $2, max_running = $3, max_duration_ms = $4, max_evidence_bytes = $5, max_nano_per_day = $6 WHERE id = $1

-- name: project_hold
SELECT id, created_at, max_queued, max_running, max_duration_ms, max_evidence_bytes, max_nano_per_day FROM projects WHERE id = $1 {lock}

-- name: project_usage
SELECT (SELECT count(*) FROM test_runs WHERE project = $1 AND status = 'queued'),
	(SELECT count(*) FROM test_runs WHERE project = $1 AND status = 'running')

-- name: project_evidence
SELECT CAST(COALESCE(SUM(evidence_bytes), 0) AS BIGINT) FROM test_runs WHERE project = $1

-- name: project_spent
SELECT CAST(COALESCE(SUM(CASE WHEN l.settled = 1 THEN COALESCE(l.cost_nano, 0) ELSE l.held_nano END), 0) AS BIGINT)
FROM ledger l JOIN test_runs r ON r.id = l.run_id WHERE r.project = $1 AND l.timestamp > {now} - 86400000

-- name: token_insert
INSERT INTO tokens (id, project, name, hash, scopes, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, {now}, CASE WHEN CAST($6 AS BIGINT) > 0 THEN {now} + CAST($6 AS BIGINT) END)

-- name: token_get
SELECT id, project, name, scopes, created_at, expires_at, used_at, revoked_at, hash,
	CASE WHEN revoked_at IS NULL AND (expires_at IS NULL OR expires_at > {now}) THEN 1 ELSE 0 END
FROM tokens WHERE id = $1

-- name: token_list
SELECT id, project, name, scopes, created_at, expires_at, used_at, revoked_at, '',
	CASE WHEN revoked_at IS NULL AND (expires_at IS NULL OR expires_at > {now}) THEN 1 ELSE 0 END
FROM tokens ORDER BY created_at, id

-- name: token_used
-- At most once a minute: requests come often.
UPDATE tokens SET used_at = {now} WHERE id = $1 AND (used_at IS NULL OR used_at < {now} - 60000)

-- name: token_revoke
UPDATE tokens SET revoked_at = {now} WHERE id = $1 AND revoked_at IS NULL

-- name: session_insert
INSERT INTO sessions (hash, token_id, created_at, expires_at) VALUES ($1, $2, {now}, {now} + $3)

-- name: session_sweep
DELETE FROM sessions WHERE expires_at < {now}

-- name: session_end
DELETE FROM sessions WHERE hash = $1

-- name: session_get
SELECT t.id, t.project, t.name, t.scopes, t.created_at, t.expires_at, t.used_at, t.revoked_at, '', 1
FROM sessions s JOIN tokens t ON t.id = s.token_id
WHERE s.hash = $1 AND s.expires_at > {now} AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > {now})

-- name: audit_insert
INSERT INTO audit_log (at, project, actor, action, subject, detail) VALUES ({now}, $1, $2, $3, $4, $5)

-- name: audit_list
SELECT id, at, actor, action, subject, detail FROM audit_log WHERE project = $1 AND id < $2 ORDER BY id DESC LIMIT $3

-- name: webhook_insert
INSERT INTO webhooks (id, project, url, secret, created_at) VALUES ($1, $2, $3, $4, {now})

-- name: webhook_list
SELECT id, url, created_at FROM webhooks WHERE project = $1 ORDER BY created_at, id

-- name: webhook_delete
DELETE FROM webhooks WHERE id = $1 AND project = $2

-- name: webhook_notify
INSERT INTO deliveries (webhook_id, run_id, created_at, due_at)
SELECT w.id, r.id, {now}, {now} FROM test_runs r JOIN webhooks w ON w.project = r.project WHERE r.id = $1

-- name: delivery_take
-- Whoever takes a delivery has it for a minute.
UPDATE deliveries SET due_at = {now} + 60000, attempts = attempts + 1
WHERE id = (SELECT d.id FROM deliveries d WHERE d.delivered_at IS NULL AND d.given_up_at IS NULL AND d.due_at <= {now} ORDER BY d.due_at LIMIT 1 {skip_locked})
RETURNING id, run_id, attempts, (SELECT w.url FROM webhooks w WHERE w.id = webhook_id), (SELECT w.secret FROM webhooks w WHERE w.id = webhook_id)

-- name: delivery_done
UPDATE deliveries SET delivered_at = {now}, error = NULL WHERE id = $1

-- name: delivery_failed
UPDATE deliveries SET due_at = {now} + $2, error = $3, given_up_at = CASE WHEN CAST($4 AS BIGINT) > 0 THEN {now} END WHERE id = $1

-- name: game_list
SELECT url, count(*), max(seq) FROM test_runs WHERE project = $1 AND pruned_at IS NULL GROUP BY url ORDER BY 3 DESC LIMIT $2

-- name: game_search
SELECT url FROM test_runs WHERE project = $1 AND lower(url) LIKE $2 ESCAPE '\' GROUP BY url LIMIT $3

-- name: game_scores
SELECT id, created_at, status, verdict, overall_score, playability_score FROM test_runs
WHERE project = $1 AND url = $2 AND seq <= $3 AND pruned_at IS NULL ORDER BY seq DESC LIMIT $4

-- name: run_by_seq
SELECT {run} FROM test_runs WHERE seq = $1 AND project = $2

-- name: status_counts
SELECT project, status, count(*) FROM test_runs GROUP BY project, status

-- name: store_touch
UPDATE projects SET turn = turn WHERE id = 'default'

-- name: event_last
SELECT CAST(COALESCE(max(id), 0) AS BIGINT) FROM test_events WHERE run_id = $1
