-- A site's event log in a PostgreSQL database of its own, for people who reach it over a network.
-- Run once by whoever administers the server: `clusterwright database sql | psql -d DATABASE`, as a superuser.
-- It can be run again: nothing is dropped and functions are replaced.
--
--   DATABASE_record   owns everything and cannot log in; nobody is made a member of it
--   DATABASE_people   may read, and append as themselves; a role per person is made a member of it
--   DATABASE_engine   may besides append what software did, and hold claims; for the role of the engine
\set ON_ERROR_STOP on
BEGIN;
SET LOCAL client_min_messages TO warning;

DO $$
DECLARE
  role text;
BEGIN
  FOREACH role IN ARRAY ARRAY['_record', '_people', '_engine'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = current_database() || role) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', current_database() || role);
    END IF;
  END LOOP;
  EXECUTE format('GRANT %I TO %I', current_database() || '_people', current_database() || '_engine');
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), current_database() || '_people');
  -- a turn that somebody took and forgot ends by itself
  EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = ''60s''', current_database());
  REVOKE ALL ON SCHEMA public FROM PUBLIC;
END $$;

CREATE SCHEMA IF NOT EXISTS clusterwright;

-- The columns of the event table in a site's folder, and what the server itself saw: whose session, and when.
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

-- Who may append as whom: as the plan in force names people, their accounts and who may adopt the next.
CREATE TABLE IF NOT EXISTS clusterwright.person (
  id text PRIMARY KEY,
  account text,
  adopts boolean NOT NULL
);

CREATE TABLE IF NOT EXISTS clusterwright.evidence (digest text PRIMARY KEY, content bytea NOT NULL);

-- What people are called: beside the record, so that it can be taken away.
CREATE TABLE IF NOT EXISTS clusterwright.name (digest text PRIMARY KEY, content bytea NOT NULL);

-- Who runs what at this moment. No part of the record.
CREATE TABLE IF NOT EXISTS clusterwright.claim (activity text PRIMARY KEY, held jsonb NOT NULL);

-- Locked while somebody decides, so that each decision is taken against the head it saw.
CREATE TABLE IF NOT EXISTS clusterwright.turn ();

CREATE OR REPLACE FUNCTION clusterwright.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is never changed', TG_TABLE_NAME USING ERRCODE = 'CW003';
END $$;
CREATE OR REPLACE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON clusterwright.event
  EXECUTE FUNCTION clusterwright.refuse();
CREATE OR REPLACE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON clusterwright.evidence
  EXECUTE FUNCTION clusterwright.refuse();

CREATE OR REPLACE FUNCTION clusterwright.take_turn() RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  LOCK TABLE clusterwright.turn IN ACCESS EXCLUSIVE MODE;
  RETURN clock_timestamp();
END $$;

-- The RFC 8785 form that an event's hash is of: names in order, no space, text escaped as JSON.
CREATE OR REPLACE FUNCTION clusterwright.hash_of(e clusterwright.event) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT encode(sha256(convert_to(
    '{"actor":' || to_json(e.actor) || ',"effective_at":' || to_json(e.effective_at) || ',"kind":' || to_json(e.kind)
    || ',"payload":' || to_json(e.payload) || ',"plan_revision":' || e.plan_revision
    || ',"prev_hash":' || to_json(e.prev_hash) || ',"recorded_at":' || to_json(e.recorded_at)
    || ',"schema_version":' || e.schema_version || ',"seq":' || e.seq || ',"subject":' || to_json(e.subject) || '}',
    'UTF8')), 'hex')
$$;

CREATE OR REPLACE FUNCTION clusterwright.is_engine() RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_has_role(session_user, current_database() || '_engine', 'MEMBER')
$$;

-- Whether this session may append as an actor: as the person whose account it is, or as the engine.
CREATE OR REPLACE FUNCTION clusterwright.may_act_as(actor text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN actor = 'engine' THEN clusterwright.is_engine()
    ELSE EXISTS (SELECT FROM clusterwright.person p WHERE p.id = actor AND p.account = session_user) END
    -- nobody in a rehearsal is real: whoever plays it speaks for all of them
    OR (clusterwright.is_engine() AND
        (SELECT (e.payload::jsonb ->> 'rehearsal')::boolean FROM clusterwright.event e WHERE e.seq = 1))
$$;

-- Appends events that follow the head, as the session's own user; an adopted plan brings its people along.
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
    IF NOT clusterwright.may_act_as(e.actor) THEN
      RAISE EXCEPTION '% may not append as %', session_user, e.actor USING ERRCODE = 'CW002';
    END IF;
    IF clusterwright.hash_of(e) IS DISTINCT FROM e.hash THEN
      RAISE EXCEPTION 'event % has not the hash it says', e.seq USING ERRCODE = 'CW001';
    END IF;
    IF e.recorded_at COLLATE "C" < last.recorded_at OR abs(extract(epoch FROM e.recorded_at::timestamptz - clock_timestamp())) > 300 THEN
      RAISE EXCEPTION 'event % is not of now: %', e.seq, e.recorded_at USING ERRCODE = 'CW001';
    END IF;
    IF e.kind = 'plan.adopted' THEN
      IF NOT EXISTS (SELECT FROM clusterwright.person p WHERE p.id = e.actor AND p.adopts) THEN
        RAISE EXCEPTION '% may not adopt a plan', e.actor USING ERRCODE = 'CW002';
      END IF;
      DELETE FROM clusterwright.person;
      INSERT INTO clusterwright.person SELECT * FROM jsonb_populate_recordset(NULL::clusterwright.person, people);
    END IF;
    e.account := session_user;
    e.appended_at := clock_timestamp();
    INSERT INTO clusterwright.event SELECT e.*;
    last := e;
  END LOOP;
  PERFORM pg_notify('clusterwright', last.seq::text);
END $$;

-- Keeps content under its SHA-256, which the server works out itself.
CREATE OR REPLACE FUNCTION clusterwright.keep(content bytea) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO clusterwright.evidence VALUES (encode(sha256(content), 'hex'), content) ON CONFLICT DO NOTHING;
  SELECT encode(sha256(content), 'hex')
$$;

CREATE OR REPLACE FUNCTION clusterwright.keep_name(content bytea) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO clusterwright.name VALUES (encode(sha256(content), 'hex'), content) ON CONFLICT DO NOTHING;
  SELECT encode(sha256(content), 'hex')
$$;

-- Takes away the names of those whom an event redacted; of nobody else.
CREATE OR REPLACE FUNCTION clusterwright.forget_redacted() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH gone AS (
    DELETE FROM clusterwright.name n USING clusterwright.event e
    WHERE e.kind = 'person.redacted' AND e.subject = 'person/' || (convert_from(n.content, 'UTF8')::jsonb ->> 'id')
    RETURNING 1
  ) SELECT count(*) FROM gone
$$;

CREATE OR REPLACE FUNCTION clusterwright.hold(claims jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT clusterwright.is_engine() THEN
    RAISE EXCEPTION '% runs nothing: it is not a member of %', session_user, current_database() || '_engine'
      USING ERRCODE = 'CW002';
  END IF;
  DELETE FROM clusterwright.claim;
  INSERT INTO clusterwright.claim SELECT c ->> 'activity', c FROM jsonb_array_elements(claims) c;
  NOTIFY clusterwright;
END $$;

DO $$
DECLARE
  record_role text := current_database() || '_record';
  people_role text := current_database() || '_people';
  thing text;
BEGIN
  EXECUTE format('ALTER SCHEMA clusterwright OWNER TO %I', record_role);
  FOREACH thing IN ARRAY ARRAY['event', 'person', 'evidence', 'name', 'claim', 'turn'] LOOP
    EXECUTE format('ALTER TABLE clusterwright.%I OWNER TO %I', thing, record_role);
    EXECUTE format('REVOKE ALL ON clusterwright.%I FROM PUBLIC, %I', thing, people_role);
    IF thing <> 'turn' THEN
      EXECUTE format('GRANT SELECT ON clusterwright.%I TO %I', thing, people_role);
    END IF;
  END LOOP;
  FOREACH thing IN ARRAY ARRAY['take_turn()', 'append(jsonb, jsonb)', 'keep(bytea)', 'keep_name(bytea)',
                               'forget_redacted()', 'hold(jsonb)', 'is_engine()', 'may_act_as(text)',
                               'hash_of(clusterwright.event)', 'refuse()'] LOOP
    EXECUTE format('ALTER FUNCTION clusterwright.%s OWNER TO %I', thing, record_role);
    EXECUTE format('REVOKE ALL ON FUNCTION clusterwright.%s FROM PUBLIC', thing);
    EXECUTE format('GRANT EXECUTE ON FUNCTION clusterwright.%s TO %I', thing, people_role);
  END LOOP;
  EXECUTE format('GRANT USAGE ON SCHEMA clusterwright TO %I', people_role);
END $$;
COMMIT;
