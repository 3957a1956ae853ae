"""A PostgreSQL server of the tests' own: real, on a private port and socket, gone afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg

from tests.ports import free_port

EVERYBODY = "everybody"
"""A role on which all people of a test's site act, the engine included, as they may share one account of a machine."""

ON_POSTGRES = "CLUSTERWRIGHT_TESTS_ON_POSTGRES"
"""Set in a run of the tests whose ledgers are shared through PostgreSQL."""


@cache
def programs() -> Path | None:
    """Return the folder of PostgreSQL's own programs; none where it is not installed."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return places[-1] if places else None


Rows = dict[str, bytes]
"""The rows of each table, as PostgreSQL copies them."""


class Server:
    """A server in a folder of its own; databases are made on it as they are asked for."""

    def __init__(self) -> None:
        """Make the cluster and choose a port; `start` starts it."""
        bin_ = programs()
        assert bin_ is not None
        self._bin, self._made = bin_, 0
        self._used: list[str] = []
        self._administrators: dict[str, psycopg.Connection[tuple[Any, ...]]] = {}
        # not below pytest's own folders: those are its user's alone, and the server runs as another
        self.folder = Path(tempfile.mkdtemp(prefix="clusterwright-postgres-"))
        self.port = free_port()
        if os.getuid() == 0:  # the server refuses to run as root
            shutil.chown(self.folder, "postgres")
        self._run("initdb", "-D", self.folder / "data", "-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")

    def start(self, *options: str) -> None:
        """Start it, and wait until it answers."""
        said = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c max_connections=60 " + " ".join(
            options
        )
        self._run(
            "pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-o", said, "-w", "-t", "60", "start"
        )

    def stop(self, mode: str = "fast") -> None:
        """Stop it: `fast` in order, `immediate` as a crash would."""
        self._run("pg_ctl", "-D", self.folder / "data", "-m", mode, "-w", "stop")

    def remove(self) -> None:
        """Stop it and leave nothing behind."""
        for connection in self._administrators.values():
            connection.close()
        if (self.folder / "data" / "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self.folder)

    def url(self, database: str, role: str) -> str:
        """Return the address of a database for a role."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def database(self, roles: Sequence[str] = (), *, at_any_time: bool = False) -> str:
        """Make a database with a ledger installed in it and roles that may append; return its name.

        `at_any_time` lets events be recorded at other times than the present, for tests that move the clock.
        """
        from ledger.stores.installing import install_sql

        self._made += 1
        name = f"site_{self._made}"
        with psycopg.connect(self.url("postgres", "admin"), autocommit=True) as db:
            db.execute(f"CREATE DATABASE {name}")
        grants = (
            f"DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN duplicate_object THEN END $$; GRANT {name}_people TO {role};"
            for role in (*roles, EVERYBODY)
        )
        script = install_sql().replace("> 300", "> 1e12") if at_any_time else install_sql()
        self.psql(name, "\n".join([script, *grants, f"GRANT {name}_engine TO {EVERYBODY};"]))
        return name

    @contextmanager
    def borrowed(self) -> Iterator[str]:
        """Yield a database in which nothing is recorded. It is emptied and used again: a new one takes eight times as long.

        Only for tests that change no more than its rows, as all can that do not connect as the administrator.
        """
        name = next((used for used in self._used if self._is_emptied(used)), None)
        if name is None:
            name = self.database(at_any_time=True)
        else:
            self._used.remove(name)
        yield name
        self._used.append(name)

    def _is_emptied(self, database: str) -> bool:
        db = self._changing(database)
        others = "datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        if db.execute(f"SELECT pid FROM pg_stat_activity WHERE {others}").fetchone():
            return False
        for table in _tables(db):
            db.execute(f"DELETE FROM {table}")
        return True

    def rows(self, database: str) -> Rows:
        """Return everything that is recorded in a database."""
        with psycopg.connect(self.url(database, "admin")) as db:
            return {table: _read(db, table) for table in _tables(db)}

    def put_back(self, database: str, rows: Rows) -> None:
        """Record in an empty database what another one had."""
        with self._changing(database).cursor() as cursor:
            for table, content in rows.items():
                with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                    copy.write(content)

    def _changing(self, database: str) -> psycopg.Connection[tuple[Any, ...]]:
        """Return a connection of the administrator without the triggers that refuse what is not appended. It is kept."""
        kept = self._administrators.get(database)
        if kept is None or kept.closed:
            kept = psycopg.connect(self.url(database, "admin"), autocommit=True)
            kept.execute("SET session_replication_role = replica")
            self._administrators[database] = kept
        return kept

    def psql(self, database: str, text: str) -> None:
        """Run a script as the administrator would."""
        done = subprocess.run(
            [self._bin / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", self.url(database, "admin")],
            input=text, text=True, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def _run(self, program: str, *arguments: object) -> None:
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        done = subprocess.run(
            [*user, str(self._bin / program), *map(str, arguments)],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        if done.returncode:
            sys.stderr.write(done.stdout.decode())
            raise RuntimeError(f"{program} failed")


def _tables(db: psycopg.Connection[tuple[Any, ...]]) -> list[str]:
    found = db.execute("SELECT 'clusterwright.' || tablename FROM pg_tables WHERE schemaname = 'clusterwright'")
    return [name for (name,) in found]


def _read(db: psycopg.Connection[tuple[Any, ...]], table: str) -> bytes:
    with db.cursor() as cursor, cursor.copy(f"COPY {table} TO STDOUT") as copy:
        return b"".join(map(bytes, copy))


@contextmanager
def running(*options: str) -> Iterator[Server]:
    """Return a server while the block lasts."""
    server = Server()
    server.start(*options)
    try:
        yield server
    finally:
        server.remove()


@contextmanager
def asked_for() -> Iterator[Server | None]:
    """Return a server, synced to the disk as a real one is, where a benchmark's last argument asks for one."""
    if sys.argv[-1] != "postgres":
        yield None
        return
    os.environ[ON_POSTGRES] = "yes"
    with running() as server:
        yield server
