-- name: prune_candidates
SELECT id, finished_at FROM test_runs WHERE finished_at IS NOT NULL AND status NOT IN ('queued', 'running') AND pruned_at IS NULL

-- name: prune_mark
UPDATE test_runs SET pruned_at = {now} WHERE id = $1 AND status NOT IN ('queued', 'running') AND pruned_at IS NULL

-- name: prune_marked
SELECT id FROM test_runs WHERE pruned_at IS NOT NULL ORDER BY seq

-- name: prune_delete
DELETE FROM test_runs WHERE id = $1 AND pruned_at IS NOT NULL

-- name: prune_exists
SELECT count(*) FROM test_runs WHERE id = $1
