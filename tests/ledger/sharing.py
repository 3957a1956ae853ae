"""A database with the small site in it, shared by a folder for each role, as if each were a machine of its own."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg

from ledger.machine_time import machine_time
from ledger.questions.snapshot import Snapshot
from ledger.stores.file import connect
from ledger.stores.postgres import Database
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import claim
from ledger.writing import Ledger
from tests.ledger.conftest import PEOPLE, begun, share, small_plan
from tests.postgres_server import Server

ROLES = (*PEOPLE, "stranger")
READ = "030@pod-001"
"""A verify activity that nothing holds up in this site."""


class Shared:
    """A database with the small site in it, and a folder a role."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.name = server.database(ROLES)
        with self.open("pm", create=True) as ledger:
            adopt_plan(ledger, "pm", with_own_accounts(), reason="first")

    def of(self, role: str) -> Path:
        folder = self.folder / role
        if not folder.exists():
            folder.mkdir(parents=True)
            share(folder, self.server.url(self.name, role))
        return folder

    def open(self, role: str, *, create: bool = False) -> Ledger:
        if create:
            return begun(self.of(role), machine_time, owner=role)
        return Ledger.open(self.of(role))

    def log(self, role: str) -> Database:
        return Database(self.server.url(self.name, role))

    def sql(self, role: str, text: str) -> list[Any]:
        with psycopg.connect(self.server.url(self.name, role), autocommit=True) as db:
            done = db.execute(text.encode())
            return done.fetchall() if done.description else []


def copy_of(site_dir: Path) -> Snapshot:
    """Return a folder's copy as it is, without a look at the database."""
    return Snapshot(connect(site_dir), site_dir, machine_time())


def every_event(snapshot: Snapshot) -> list[Any]:
    return snapshot.db.execute("SELECT * FROM event").fetchall()


def with_own_accounts() -> Any:
    people = [{"id": key, "name": name, "roles": roles, "account": key} for key, (name, roles) in PEOPLE.items()]
    free = [link for link in small_plan().model_dump()["links"] if link["after"] != READ]
    return small_plan(people=people, links=free, start=machine_time() - timedelta(days=1))


def take(ledger: Ledger, owner: str) -> Any:
    return claim(ledger, owner, READ, lease_s=60, host="h", boot_id="b", pid=1, pgid=1)
