-- name: result_report
INSERT INTO run_reports (run_id, lease, body, saved_at) VALUES ($1, $2, $3, {now})

-- name: result_scores
UPDATE test_runs SET verdict = $2, playability_score = $3, overall_score = $4, confidence = $5, summary = $6 WHERE id = $1

-- name: result_score
INSERT INTO evaluation_scores (run_id, metric_name, score, weight, justification, created_at) VALUES ($1, $2, $3, $4, $5, {now})

-- name: result_action
INSERT INTO agent_actions (run_id, timestamp, phase, action, target, reasoning, outcome, success, took_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: result_control
INSERT INTO control_discoveries (run_id, control_id, element_selector, action_type, description, confidence, outcome, discovered_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)

-- name: result_decision
INSERT INTO decision_log (run_id, timestamp, phase, decision, context, layer, confidence, threshold, ai_model)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
