-- name: ledger_insert
INSERT INTO ledger (run_id, lease, timestamp, purpose, model, input_tokens, output_tokens, cost_nano, latency_ms, error)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)

-- name: ledger_reserve
INSERT INTO ledger (run_id, lease, timestamp, purpose, model, input_tokens, output_tokens, latency_ms, held_nano, settled)
VALUES ($1, $2, $3, $4, $5, 0, 0, 0, $6, 0)
RETURNING id

-- name: ledger_settle
UPDATE ledger SET input_tokens = $3, output_tokens = $4, cost_nano = $5, latency_ms = $6, error = $7, settled = 1
WHERE id = $1 AND run_id = $2 AND settled = 0

-- name: ledger_sums
SELECT CAST(COALESCE(SUM(CASE WHEN settled = 1 THEN COALESCE(cost_nano, 0) ELSE 0 END), 0) AS BIGINT),
	CAST(COALESCE(SUM(CASE WHEN settled = 0 THEN held_nano ELSE 0 END), 0) AS BIGINT)
FROM ledger WHERE run_id = $1

-- name: ledger_list
SELECT lease, timestamp, purpose, model, input_tokens, output_tokens, cost_nano, latency_ms, error, held_nano, settled
FROM ledger WHERE run_id = $1 ORDER BY id

-- name: ledger_answers
SELECT timestamp, latency_ms, model FROM ledger WHERE run_id = $1 AND error IS NULL AND settled = 1 ORDER BY id
