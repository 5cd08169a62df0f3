-- name: knowledge_note
INSERT INTO knowledge (fingerprint, kind, what, successes, failures, last_used) VALUES ($1, $2, $3, $4, $5, {now})
ON CONFLICT (fingerprint, kind, what) DO UPDATE SET
	successes = knowledge.successes + excluded.successes, failures = knowledge.failures + excluded.failures, last_used = excluded.last_used

-- name: knowledge_list
SELECT id, fingerprint, kind, what, successes, failures, last_used FROM knowledge ORDER BY last_used DESC, id DESC LIMIT $1

-- name: knowledge_forget
DELETE FROM knowledge WHERE id = $1

-- name: knowledge_bound
DELETE FROM knowledge WHERE id IN (SELECT id FROM knowledge ORDER BY last_used DESC, id DESC LIMIT 1000000 OFFSET $1)
