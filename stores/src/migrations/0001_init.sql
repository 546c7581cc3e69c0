-- Times are INTEGER microseconds since 1970 UTC; 9223372036854775807 is "never".
-- A row is live when its state is 'planned'; all other stored states are terminal.

CREATE TABLE meta (
  one              INTEGER PRIMARY KEY CHECK (one = 1),
  store_name       TEXT    NOT NULL,
  term             INTEGER NOT NULL,
  last_ticket      INTEGER NOT NULL,  -- of the last committed write of this term
  armed_backlog    INTEGER NOT NULL,
  armed_from       INTEGER NOT NULL,
  armed_until      INTEGER NOT NULL,
  armed_written_at INTEGER NOT NULL,
  timers_produced  INTEGER NOT NULL DEFAULT 0,
  timers_succeeded INTEGER NOT NULL DEFAULT 0,
  timers_failed    INTEGER NOT NULL DEFAULT 0,
  timers_cancelled INTEGER NOT NULL DEFAULT 0,
  timers_skipped   INTEGER NOT NULL DEFAULT 0,
  removed_produced  INTEGER NOT NULL DEFAULT 0,
  removed_succeeded INTEGER NOT NULL DEFAULT 0,
  removed_failed    INTEGER NOT NULL DEFAULT 0,
  removed_cancelled INTEGER NOT NULL DEFAULT 0,
  removed_skipped   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE jobs (
  id         INTEGER PRIMARY KEY,
  app        TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  revision   INTEGER NOT NULL,
  spec       TEXT    NOT NULL,        -- JSON
  next_due   INTEGER NOT NULL,
  anchor     INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  produced   INTEGER NOT NULL,
  succeeded  INTEGER NOT NULL,
  failed     INTEGER NOT NULL,
  cancelled  INTEGER NOT NULL,
  skipped    INTEGER NOT NULL,
  UNIQUE (app, name)
) STRICT;

CREATE TABLE runs (
  id              INTEGER PRIMARY KEY,
  job_id          INTEGER NOT NULL,   -- 0: a timer; the job may be gone
  origin          TEXT    NOT NULL CHECK (origin IN ('occurrence', 'trigger', 'timer')),
  app             TEXT    NOT NULL,
  job             TEXT    NOT NULL,
  key             TEXT    NOT NULL,
  key_held        INTEGER NOT NULL CHECK (key_held IN (0, 1)),
  due             INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  elapsed_term    INTEGER NOT NULL,
  revision        INTEGER NOT NULL,
  state           TEXT    NOT NULL
    CHECK (state IN ('planned', 'succeeded', 'failed', 'cancelled', 'skipped')),
  attempt         INTEGER NOT NULL,
  tries           INTEGER NOT NULL,
  created_at      INTEGER NOT NULL,
  finished_at     INTEGER,
  reason          TEXT    NOT NULL,
  idempotency_key TEXT    NOT NULL,
  payload         BLOB,
  timer           TEXT,               -- JSON of a timer's target, retry and timeout
  CHECK ((state = 'planned') = (finished_at IS NULL)),
  CHECK ((origin = 'timer') = (job_id = 0))
) STRICT;

CREATE INDEX runs_live ON runs (next_attempt_at) WHERE state = 'planned';
CREATE INDEX runs_live_of_job ON runs (job_id) WHERE state = 'planned' AND job_id <> 0;
CREATE INDEX runs_finished ON runs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX runs_of_name ON runs (app, job);
CREATE UNIQUE INDEX runs_key ON runs (app, key) WHERE key_held = 1;
CREATE INDEX runs_released_key ON runs (app, key) WHERE key_held = 0 AND key <> '';
CREATE UNIQUE INDEX runs_occurrence ON runs (job_id, due) WHERE origin = 'occurrence';
CREATE UNIQUE INDEX runs_idempotency ON runs (job_id, idempotency_key)
  WHERE origin = 'trigger' AND idempotency_key <> '';

CREATE TRIGGER runs_terminal_is_final BEFORE UPDATE OF state ON runs
WHEN OLD.state <> 'planned' AND NEW.state <> OLD.state
BEGIN
  SELECT RAISE(ABORT, 'a terminal state is final');
END;

CREATE TABLE attempts (
  run_id      INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  number      INTEGER NOT NULL,
  term        INTEGER NOT NULL,
  state       TEXT    NOT NULL
    CHECK (state IN ('running', 'succeeded', 'failed', 'timed_out', 'unknown')),
  started_at  INTEGER NOT NULL,
  finished_at INTEGER,
  lateness_us INTEGER NOT NULL,
  status      INTEGER NOT NULL,
  error       TEXT    NOT NULL,
  output      BLOB    NOT NULL,
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE misses (
  id       INTEGER PRIMARY KEY,
  job_id   INTEGER NOT NULL,
  from_due INTEGER NOT NULL,
  to_due   INTEGER NOT NULL,
  count    INTEGER NOT NULL,
  reason   TEXT    NOT NULL
) STRICT;

CREATE INDEX misses_ended ON misses (to_due);
