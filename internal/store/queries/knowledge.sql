-- name: knowledge_list
SELECT id, data FROM knowledge WHERE project = $1 ORDER BY last_used

-- name: knowledge_lock
-- The row is there, and ours until the transaction ends.
INSERT INTO knowledge (project, id, data, last_used) VALUES ($1, $2, $3, {now})
ON CONFLICT (project, id) DO UPDATE SET last_used = excluded.last_used
RETURNING data

-- name: knowledge_put
UPDATE knowledge SET data = $3 WHERE project = $1 AND id = $2

-- name: knowledge_delete
DELETE FROM knowledge WHERE project = $1 AND id = $2
