-- Installs a site's event log in a PostgreSQL database of its own, for people who use it over a network.
-- The administrator of the server runs it as a superuser: `clusterwright database sql | psql -d DATABASE`.
-- It can be run again. It drops nothing, keeps all data, and replaces the functions.
--
-- It makes three group roles. DATABASE is the name of the database. None of them can log in.
--
--   DATABASE_record   owns all tables and functions. Make nobody a member: a member could change the record.
--   DATABASE_people   may read everything, and may append events of its own person only. Make each person's role a member.
--   DATABASE_engine   may also append what software did, and write claims. Make only the engine's role a member.
--
-- Nobody may connect to the database by default: this script revokes that right from PUBLIC.
\set ON_ERROR_STOP on
BEGIN;
SET LOCAL client_min_messages TO warning;

DO $$
DECLARE
  role text;
  lock regprocedure;
BEGIN
  FOREACH role IN ARRAY ARRAY['_record', '_people', '_engine'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = current_database() || role) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', current_database() || role);
    END IF;
  END LOOP;
  EXECUTE format('GRANT %I TO %I', current_database() || '_people', current_database() || '_engine');
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  -- so that take_turn() can see how long a session has held the log, and end it
  EXECUTE format('GRANT pg_signal_backend, pg_read_all_stats TO %I', current_database() || '_record');
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), current_database() || '_people');
  -- a session that locked the log and then does nothing is ended after a minute, so that others can decide again
  EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = ''60s''', current_database());
  REVOKE ALL ON SCHEMA public FROM PUBLIC;
  -- engines agree by advisory locks who of them leads and who sends notices: nobody else takes one in this database
  FOR lock IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^pg_(try_)?advisory' LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', lock);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', lock, current_database() || '_engine');
  END LOOP;
END $$;

CREATE SCHEMA IF NOT EXISTS clusterwright;

-- Events. The columns are those of the event table in a site's folder, and two that the server fills in: the account whose
-- session appended the event, and when.
CREATE TABLE IF NOT EXISTS clusterwright.event (
  seq bigint PRIMARY KEY,
  recorded_at text NOT NULL,
  effective_at text NOT NULL,
  actor text NOT NULL,
  kind text NOT NULL,
  schema_version integer NOT NULL,
  subject text NOT NULL,
  plan_revision integer NOT NULL,
  payload text NOT NULL,
  prev_hash text NOT NULL,
  hash text NOT NULL,
  signature text,
  account text NOT NULL,
  appended_at timestamptz NOT NULL
);

-- The people of adopted plans. Only the account of a person may append that person's events. `adopts` permits them to adopt a plan.
--
-- People of earlier plans stay in the table, with the accounts that they had. The server cannot verify a signed plan, so a plan
-- that nobody accepts must not take anybody's right away. Each copy decides by the plan that is really in force.
CREATE TABLE IF NOT EXISTS clusterwright.person (
  id text NOT NULL,
  account text,
  adopts boolean NOT NULL
);
ALTER TABLE clusterwright.person DROP CONSTRAINT IF EXISTS person_pkey;
CREATE UNIQUE INDEX IF NOT EXISTS one_row_each ON clusterwright.person (id, account, adopts) NULLS NOT DISTINCT;

-- Evidence: content under its SHA-256.
CREATE TABLE IF NOT EXISTS clusterwright.evidence (digest text PRIMARY KEY, content bytea NOT NULL);

-- Documents with people's names. They are not part of the record, so that a name can be deleted.
CREATE TABLE IF NOT EXISTS clusterwright.name (digest text PRIMARY KEY, content bytea NOT NULL);

-- Claims: which process runs which activity now. They are not part of the record.
CREATE TABLE IF NOT EXISTS clusterwright.claim (activity text PRIMARY KEY, held jsonb NOT NULL);

-- Reservations: what engines keep for activities that wait for their turn. They are not part of the record either.
CREATE TABLE IF NOT EXISTS clusterwright.reservation (
  activity text,
  engine text,
  held jsonb NOT NULL,
  PRIMARY KEY (activity, engine)
);

-- What the addresses of notify.yaml were sent, so that of several folders none sends it again. It is not part of the record.
CREATE TABLE IF NOT EXISTS clusterwright.notice (
  address text,
  kind text,
  subject text,
  seq bigint,
  said text,
  state text,
  PRIMARY KEY (address, kind, subject, seq)
);
CREATE TABLE IF NOT EXISTS clusterwright.failure (address text PRIMARY KEY, times integer, until text);

-- An empty table that is locked while somebody decides. So no event is appended between reading the last event and appending
-- the next one.
CREATE TABLE IF NOT EXISTS clusterwright.turn ();

-- A row for each role that decided. It is locked by the one session of the role that holds the log, or is next.
CREATE TABLE IF NOT EXISTS clusterwright.queue (role text PRIMARY KEY);

-- Triggers that refuse every change of events and evidence. Only the owner of the tables or a superuser could remove them.
CREATE OR REPLACE FUNCTION clusterwright.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is never changed', TG_TABLE_NAME USING ERRCODE = 'CW003';
END $$;
CREATE OR REPLACE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON clusterwright.event
  EXECUTE FUNCTION clusterwright.refuse();
CREATE OR REPLACE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON clusterwright.evidence
  EXECUTE FUNCTION clusterwright.refuse();

-- Locks the log until the end of the transaction and returns the server's time. A session that locks it for longer than any
-- decision takes while somebody else waits is ended, busy or idle: nobody can stop the others for good. Of the sessions of one role
-- one at a time waits for the log, so that a role with many sessions does not take every turn.
CREATE OR REPLACE FUNCTION clusterwright.take_turn() RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  longest text := current_setting('lock_timeout');
  began timestamptz := clock_timestamp();
  holder integer;
  holds timestamptz;
  seen integer;
  seen_holds timestamptz;
  since timestamptz;
BEGIN
  LOOP
    SELECT a.pid, a.xact_start INTO holder, holds FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.relation = 'clusterwright.turn'::regclass AND l.mode = 'AccessExclusiveLock' AND l.granted
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND a.pid <> pg_backend_pid();
    -- the time since this session saw it hold the log: since its transaction began it may itself have waited
    IF (holder, holds) IS DISTINCT FROM (seen, seen_holds) THEN
      seen := holder;
      seen_holds := holds;
      since := clock_timestamp();
    ELSIF clock_timestamp() - since > interval '20 seconds' THEN
      PERFORM pg_terminate_backend(holder);
    END IF;
    BEGIN
      PERFORM set_config('lock_timeout', '250ms', true);
      INSERT INTO clusterwright.queue VALUES (session_user) ON CONFLICT DO NOTHING;
      PERFORM FROM clusterwright.queue WHERE role = session_user FOR UPDATE;
      LOCK TABLE clusterwright.turn IN ACCESS EXCLUSIVE MODE;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      IF longest <> '0' AND clock_timestamp() - began > longest::interval THEN
        RAISE;
      END IF;
    END;
  END LOOP;
  PERFORM set_config('lock_timeout', longest, true);
  RETURN clock_timestamp();
END $$;

-- Returns the hash of an event: the SHA-256 of its columns as RFC 8785 JSON, with names in order and without spaces.
CREATE OR REPLACE FUNCTION clusterwright.hash_of(e clusterwright.event) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT encode(sha256(convert_to(
    '{"actor":' || to_json(e.actor) || ',"effective_at":' || to_json(e.effective_at) || ',"kind":' || to_json(e.kind)
    || ',"payload":' || to_json(e.payload) || ',"plan_revision":' || e.plan_revision
    || ',"prev_hash":' || to_json(e.prev_hash) || ',"recorded_at":' || to_json(e.recorded_at)
    || ',"schema_version":' || e.schema_version || ',"seq":' || e.seq || ',"subject":' || to_json(e.subject) || '}',
    'UTF8')), 'hex')
$$;

-- Returns whether this session may append what software did.
CREATE OR REPLACE FUNCTION clusterwright.is_engine() RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_has_role(session_user, current_database() || '_engine', 'MEMBER')
$$;

-- Returns whether this session may append events of an actor: it has the account of that person, or it is the engine.
CREATE OR REPLACE FUNCTION clusterwright.may_act_as(actor text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN actor = 'engine' THEN clusterwright.is_engine()
    ELSE EXISTS (SELECT FROM clusterwright.person p WHERE p.id = actor AND p.account = session_user) END
    -- in a rehearsal all people are simulated, and the engine acts as each of them
    OR (clusterwright.is_engine() AND
        (SELECT (e.payload::jsonb ->> 'rehearsal')::boolean FROM clusterwright.event e WHERE e.seq = 1))
$$;

-- Returns the kinds of events with the highest version of each and who appends them, as the program that wrote this script knows
-- them. "engine": only what software did. "people": only people. "both": either.
CREATE OR REPLACE FUNCTION clusterwright.kinds() RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT $kinds${KINDS}$kinds$::jsonb
$$;

-- Returns whether text is a time as programs write it, and as they read it: `stamped` in steps/stamps.py accepts the same.
CREATE OR REPLACE FUNCTION clusterwright.is_stamp(stamp text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF stamp IS NULL OR stamp !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z$'
      OR stamp COLLATE "C" < '0001-01-02' OR stamp COLLATE "C" >= '9999-12-31' THEN
    RETURN false;
  END IF;
  PERFORM stamp::timestamptz;
  RETURN true;
EXCEPTION
  WHEN data_exception THEN
    RETURN false;
END $$;

-- Raises an error for an event that no program writes: an unknown kind, a time in another form, a payload that is no object.
CREATE OR REPLACE FUNCTION clusterwright.refuse_strange(e clusterwright.event) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  known jsonb := clusterwright.kinds() -> e.kind;
BEGIN
  IF known IS NULL OR e.schema_version NOT BETWEEN 1 AND (known ->> 'version')::integer THEN
    RAISE EXCEPTION 'this server does not know the kind % version %: its administrator runs `clusterwright database sql` again',
      left(e.kind, 60), e.schema_version USING ERRCODE = 'CW004';
  END IF;
  IF (known ->> 'by' = 'engine') AND e.actor <> 'engine' OR (known ->> 'by' = 'people') AND e.actor = 'engine' THEN
    RAISE EXCEPTION 'events of the kind % are not appended as %', e.kind, e.actor USING ERRCODE = 'CW002';
  END IF;
  IF NOT (clusterwright.is_stamp(e.recorded_at) AND clusterwright.is_stamp(e.effective_at)) THEN
    RAISE EXCEPTION 'event % has a time in another form than 2026-11-20T14:03:00.000000Z', e.seq USING ERRCODE = 'CW004';
  END IF;
  IF length(e.payload) > (known ->> 'longest')::integer OR length(e.signature) > {SIGNATURE} OR length(e.subject) > 1000
      OR length(e.actor) > 200 OR e.plan_revision < 0 THEN
    RAISE EXCEPTION 'event % is larger than any that a program writes', e.seq USING ERRCODE = 'CW004';
  END IF;
  IF jsonb_typeof(e.payload::jsonb) <> 'object' THEN
    RAISE EXCEPTION 'event % has a payload that is no JSON object', e.seq USING ERRCODE = 'CW004';
  END IF;
EXCEPTION
  WHEN data_exception OR program_limit_exceeded THEN
    RAISE EXCEPTION 'event % cannot be read: %', e.seq, SQLERRM USING ERRCODE = 'CW004';
END $$;

-- Appends events after the last one. Each event is checked: its form, its place, its actor, its hash, its time, and who adopts a
-- plan or redacts a name. Whether its decision was right is judged by each copy that follows. An error undoes everything.
CREATE OR REPLACE FUNCTION clusterwright.append(events jsonb, people jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  e clusterwright.event;
  last clusterwright.event;
BEGIN
  PERFORM clusterwright.take_turn();
  SELECT * INTO last FROM clusterwright.event ORDER BY seq DESC LIMIT 1;
  FOR e IN SELECT * FROM jsonb_populate_recordset(NULL::clusterwright.event, events) LOOP
    IF e.seq IS DISTINCT FROM coalesce(last.seq, 0) + 1 OR e.prev_hash IS DISTINCT FROM coalesce(last.hash, repeat('0', 64)) THEN
      RAISE EXCEPTION 'event % does not follow the head, %', e.seq, coalesce(last.seq, 0) USING ERRCODE = 'CW001';
    END IF;
    IF e.seq = 1 THEN
      IF e.kind <> 'genesis' THEN
        RAISE EXCEPTION 'the first event is not genesis' USING ERRCODE = 'CW001';
      END IF;
      INSERT INTO clusterwright.person VALUES (e.actor, session_user, true);
    END IF;
    PERFORM clusterwright.refuse_strange(e);
    IF NOT clusterwright.may_act_as(e.actor) THEN
      RAISE EXCEPTION '% may not append as %', session_user, e.actor USING ERRCODE = 'CW002';
    END IF;
    IF clusterwright.hash_of(e) IS DISTINCT FROM e.hash THEN
      RAISE EXCEPTION 'event % does not have the hash that it names', e.seq USING ERRCODE = 'CW001';
    END IF;
    -- a clock that was set back repeats the last time, however far away that is
    IF e.recorded_at COLLATE "C" < last.recorded_at OR e.recorded_at IS DISTINCT FROM last.recorded_at
        AND abs(extract(epoch FROM e.recorded_at::timestamptz - clock_timestamp())) > 300 THEN
      RAISE EXCEPTION 'event % was recorded at %, which is not the present time', e.seq, e.recorded_at USING ERRCODE = 'CW001';
    END IF;
    IF e.kind = 'plan.adopted' THEN
      IF NOT EXISTS (SELECT FROM clusterwright.person p WHERE p.id = e.actor AND p.adopts) THEN
        RAISE EXCEPTION '% may not adopt a plan', e.actor USING ERRCODE = 'CW002';
      END IF;
      INSERT INTO clusterwright.person SELECT * FROM jsonb_populate_recordset(NULL::clusterwright.person, people)
        ON CONFLICT DO NOTHING;
    END IF;
    IF e.kind = 'person.redacted' AND e.subject IS DISTINCT FROM 'person/' || e.actor
        AND NOT EXISTS (SELECT FROM clusterwright.person p WHERE p.id = e.actor AND p.adopts) THEN
      RAISE EXCEPTION '% may not redact the name of another person', e.actor USING ERRCODE = 'CW002';
    END IF;
    e.account := session_user;
    e.appended_at := clock_timestamp();
    INSERT INTO clusterwright.event SELECT e.*;
    last := e;
  END LOOP;
  PERFORM pg_notify('clusterwright', last.seq::text);
END $$;

-- Stores evidence under its SHA-256, which the server computes.
CREATE OR REPLACE FUNCTION clusterwright.keep(content bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF octet_length(content) > 268435456 THEN
    RAISE EXCEPTION 'evidence of % bytes is larger than any that a program stores', octet_length(content) USING ERRCODE = 'CW004';
  END IF;
  INSERT INTO clusterwright.evidence VALUES (encode(sha256(content), 'hex'), content) ON CONFLICT DO NOTHING;
  RETURN encode(sha256(content), 'hex');
END $$;

-- Returns whose name a document has. NULL if it is no document with a name.
CREATE OR REPLACE FUNCTION clusterwright.named_in(content bytea) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  said jsonb;
BEGIN
  IF octet_length(content) > 10000 THEN
    RETURN NULL;
  END IF;
  said := convert_from(content, 'UTF8')::jsonb;
  IF jsonb_typeof(said -> 'id') = 'string' AND jsonb_typeof(said -> 'name') = 'string' THEN
    RETURN said ->> 'id';
  END IF;
  RETURN NULL;
EXCEPTION
  WHEN data_exception OR program_limit_exceeded THEN
    RETURN NULL;
END $$;

-- Stores a document with a person's name under its SHA-256. Only who may adopt a plan does, or who moves a whole ledger here.
CREATE OR REPLACE FUNCTION clusterwright.keep_name(content bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT pg_has_role(session_user, current_database() || '_record', 'MEMBER')
      AND NOT EXISTS (SELECT FROM clusterwright.person p WHERE p.account = session_user AND p.adopts) THEN
    RAISE EXCEPTION 'permission denied to store names: nobody with the account % may adopt a plan', session_user
      USING ERRCODE = '42501';
  END IF;
  IF clusterwright.named_in(content) IS NULL THEN
    RAISE EXCEPTION 'this is no document with a person''s name' USING ERRCODE = 'CW004';
  END IF;
  INSERT INTO clusterwright.name VALUES (encode(sha256(content), 'hex'), content) ON CONFLICT DO NOTHING;
  RETURN encode(sha256(content), 'hex');
END $$;

-- Deletes the names of the people whom an event redacted, and of nobody else. Returns how many documents were deleted.
CREATE OR REPLACE FUNCTION clusterwright.forget_redacted() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH gone AS (
    DELETE FROM clusterwright.name n USING clusterwright.event e
    WHERE e.kind = 'person.redacted' AND e.subject = 'person/' || clusterwright.named_in(n.content)
    RETURNING 1
  ) SELECT count(*) FROM gone
$$;

-- Raises an error for claims or reservations that no program writes: with other fields than these, or with values of other types.
-- `is_held` in ledger/stores/held.py reads the same.
CREATE OR REPLACE FUNCTION clusterwright.refuse_unlike(held jsonb, fields jsonb) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  one jsonb;
  field text;
  kind text;
  is_right boolean;
BEGIN
  IF jsonb_typeof(held) <> 'array' OR pg_column_size(held) > 67108864 THEN
    RAISE EXCEPTION 'this is no list of claims or reservations' USING ERRCODE = 'CW004';
  END IF;
  FOR one IN SELECT jsonb_array_elements(held) LOOP
    IF jsonb_typeof(one) <> 'object' OR NOT one ?& ARRAY(SELECT jsonb_object_keys(fields))
        OR NOT fields ?& ARRAY(SELECT jsonb_object_keys(one)) THEN
      RAISE EXCEPTION 'a claim or reservation has other fields than %', fields USING ERRCODE = 'CW004';
    END IF;
    FOR field, kind IN SELECT * FROM jsonb_each_text(fields) LOOP
      is_right := CASE kind
        WHEN 'time' THEN clusterwright.is_stamp(one ->> field)
        WHEN 'list' THEN jsonb_typeof(one -> field) = 'array' AND NOT jsonb_path_exists(one -> field, 'strict $[*] ? (@.type() <> "string")')
        WHEN 'integer' THEN jsonb_typeof(one -> field) = 'number'
          AND (one ->> field)::numeric BETWEEN -9007199254740991 AND 9007199254740991 AND (one ->> field) !~ '[.eE]'
        WHEN 'number' THEN jsonb_typeof(one -> field) = 'number'
          AND (one ->> field)::numeric BETWEEN -9007199254740991 AND 9007199254740991
        ELSE jsonb_typeof(one -> field) = kind
      END;
      IF is_right IS NOT TRUE THEN
        RAISE EXCEPTION '% of a claim or reservation is not %', field, kind USING ERRCODE = 'CW004';
      END IF;
    END LOOP;
  END LOOP;
END $$;

-- Replaces all claims. Only the engine may.
CREATE OR REPLACE FUNCTION clusterwright.hold(claims jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT clusterwright.is_engine() THEN
    RAISE EXCEPTION '% may not write claims: it is not a member of %', session_user, current_database() || '_engine'
      USING ERRCODE = 'CW002';
  END IF;
  PERFORM clusterwright.refuse_unlike(claims, '{CLAIM}');
  DELETE FROM clusterwright.claim;
  INSERT INTO clusterwright.claim SELECT c ->> 'activity', c FROM jsonb_array_elements(claims) c;
  NOTIFY clusterwright;
END $$;

-- Replaces all reservations. Only the engine may.
CREATE OR REPLACE FUNCTION clusterwright.reserve(reservations jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT clusterwright.is_engine() THEN
    RAISE EXCEPTION '% may not reserve hosts: it is not a member of %', session_user, current_database() || '_engine'
      USING ERRCODE = 'CW002';
  END IF;
  PERFORM clusterwright.refuse_unlike(reservations, '{RESERVATION}');
  DELETE FROM clusterwright.reservation;
  INSERT INTO clusterwright.reservation SELECT r ->> 'activity', r ->> 'engine', r FROM jsonb_array_elements(reservations) r;
  NOTIFY clusterwright;
END $$;

DO $$
DECLARE
  record_role text := current_database() || '_record';
  people_role text := current_database() || '_people';
  thing text;
BEGIN
  EXECUTE format('ALTER SCHEMA clusterwright OWNER TO %I', record_role);
  FOREACH thing IN ARRAY ARRAY['event', 'person', 'evidence', 'name', 'claim', 'reservation',
                               'notice', 'failure', 'turn', 'queue'] LOOP
    EXECUTE format('ALTER TABLE clusterwright.%I OWNER TO %I', thing, record_role);
    EXECUTE format('REVOKE ALL ON clusterwright.%I FROM PUBLIC, %I', thing, people_role);
    IF thing NOT IN ('turn', 'queue') THEN
      EXECUTE format('GRANT SELECT ON clusterwright.%I TO %I', thing, people_role);
    END IF;
  END LOOP;
  FOREACH thing IN ARRAY ARRAY['take_turn()', 'append(jsonb, jsonb)', 'keep(bytea)', 'keep_name(bytea)',
                               'forget_redacted()', 'hold(jsonb)', 'reserve(jsonb)', 'is_engine()', 'may_act_as(text)',
                               'hash_of(clusterwright.event)', 'refuse()', 'kinds()', 'is_stamp(text)', 'named_in(bytea)',
                               'refuse_strange(clusterwright.event)', 'refuse_unlike(jsonb, jsonb)'] LOOP
    EXECUTE format('ALTER FUNCTION clusterwright.%s OWNER TO %I', thing, record_role);
    EXECUTE format('REVOKE ALL ON FUNCTION clusterwright.%s FROM PUBLIC', thing);
    EXECUTE format('GRANT EXECUTE ON FUNCTION clusterwright.%s TO %I', thing, people_role);
  END LOOP;
  EXECUTE format('GRANT USAGE ON SCHEMA clusterwright TO %I', people_role);
  EXECUTE format('GRANT INSERT, UPDATE, DELETE ON clusterwright.notice, clusterwright.failure TO %I',
    current_database() || '_engine');
END $$;
COMMIT;
