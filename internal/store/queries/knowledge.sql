-- name: knowledge_list
SELECT id, data FROM knowledge ORDER BY last_used

-- name: knowledge_put
INSERT INTO knowledge (id, data, last_used) VALUES ($1, $2, {now})
ON CONFLICT (id) DO UPDATE SET data = excluded.data, last_used = excluded.last_used

-- name: knowledge_delete
DELETE FROM knowledge WHERE id = $1
