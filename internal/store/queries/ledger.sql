-- name: ledger_insert
INSERT INTO ledger (run_id, timestamp, purpose, model, input_tokens, output_tokens, cost_nano, latency_ms, error)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: ledger_list
SELECT timestamp, purpose, model, input_tokens, output_tokens, cost_nano, latency_ms, error FROM ledger WHERE run_id = $1 ORDER BY id
