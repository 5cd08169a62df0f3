-- name: glimpse_want
INSERT INTO run_glimpses (run_id, wanted_until)
SELECT id, {now} + $2 FROM test_runs WHERE id = $1 AND status IN ('queued', 'running')
ON CONFLICT (run_id) DO UPDATE SET wanted_until = excluded.wanted_until

-- name: glimpse_wanted
SELECT count(*) FROM run_glimpses WHERE run_id = $1 AND wanted_until > {now}

-- name: glimpse_put
-- The number is the time, so that it grows over attempts, too.
UPDATE run_glimpses SET number = {now}, body = $3
WHERE run_id = (SELECT id FROM test_runs WHERE {held})

-- name: glimpse_get
SELECT number, body FROM run_glimpses WHERE run_id = $1 AND number > $2 AND body IS NOT NULL

-- name: glimpse_drop
DELETE FROM run_glimpses WHERE run_id = $1
