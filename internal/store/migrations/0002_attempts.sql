-- How a run is to be played and judged, beyond its target, as JSON; null for what the worker does by itself.
ALTER TABLE test_runs ADD COLUMN settings TEXT;
-- Which attempt's evidence is the run's, and the SHA-256 of its manifest. Written with the run's end.
ALTER TABLE test_runs ADD COLUMN evidence_attempt BIGINT;
ALTER TABLE test_runs ADD COLUMN evidence_manifest TEXT;

-- A call is written down before it is made, with the most that it can cost; settled is 0 until its price is known. What a
-- worker that died has left unsettled counts in full.
ALTER TABLE ledger ADD COLUMN lease BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN held_nano BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN settled INTEGER NOT NULL DEFAULT 1;
