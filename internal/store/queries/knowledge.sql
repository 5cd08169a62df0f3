-- name: knowledge_list
SELECT id, data FROM knowledge ORDER BY last_used

-- name: knowledge_lock
-- The row is there, and ours until the transaction ends.
INSERT INTO knowledge (id, data, last_used) VALUES ($1, $2, {now})
ON CONFLICT (id) DO UPDATE SET last_used = excluded.last_used
RETURNING data

-- name: knowledge_put
UPDATE knowledge SET data = $2 WHERE id = $1

-- name: knowledge_delete
DELETE FROM knowledge WHERE id = $1
