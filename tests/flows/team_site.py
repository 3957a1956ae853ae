"""A team of real processes: a ledger in PostgreSQL, a Prefect server with a login, dispatchers and workers, each in a folder of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

from flows.dashboard.prefect_api import PrefectApi
from ledger.decisions.plan import adopt_plan, create_ledger
from ledger.machine_time import machine_time
from ledger.questions.activities import activities
from ledger.questions.records import RunRow, runs
from ledger.reading import open_snapshot
from steps.planning.plan import Plan
from tests.commands import called
from tests.flows.conftest import until
from tests.flows.engine_kills import ENGINE
from tests.flows.witness import Witness
from tests.ledger.conftest import activity, criterion, elsewhere, link, share, small_plan
from tests.ports import free_port
from tests.postgres_server import EVERYBODY, Server

LOGIN = "team:of-a-test"
WORKER = """
import sys
from pathlib import Path
from clusterwright.interrupts import stop_on_interrupt
from flows.team.worker import run_worker
from ledger.private import private_files
with private_files():
    sys.exit(run_worker(Path(sys.argv[1]), lambda t: print(t, flush=True), stop_on_interrupt()))
"""
"""What `clusterwright worker` does."""


class TeamSite:
    """A site whose team is on this machine. Everything that it starts is ended by `end`."""

    def __init__(
        self, folder: Path, postgres: Server, *, hosts: int = 2, steps: int = 1, beats: int = 3, **team: Any
    ) -> None:
        """Make the site, with steps one after the other over all hosts of a pod, each of which reads."""
        self.folder, self.site, self.witness = folder, folder / "site", Witness(folder)
        self.exchange, self._team = folder / "exchange", team
        self.exchange.mkdir()
        self.port, self.processes = free_port(), dict[str, subprocess.Popen[bytes]]()
        self.api = PrefectApi(f"http://127.0.0.1:{self.port}/api", LOGIN)
        self.workers: dict[str, str] = {}
        made = called(["init", "--preset", "localhost", self.site])
        assert made.returncode == 0, made.stderr
        here = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
        self.hosts = [f"pod-001-n{number + 1}" for number in range(hosts)]
        (self.site / "inventory" / "hosts.yml").unlink()
        (self.site / "inventory" / "hosts.ini").write_text("".join(f"{host} {here}\n" for host in self.hosts))
        self._database = postgres.url(postgres.database(), "admin")  # Prefect's tables have a schema of their own there
        share(self.site, postgres.url(postgres.database(), EVERYBODY))
        with create_ledger(
            self.site, site_name="Team", time_zone="UTC", rehearsal=False, owner="pm", clock=machine_time
        ) as ledger:
            adopt_plan(ledger, "pm", self._plan(steps, beats), reason="a team's")

    def _plan(self, steps: int, beats: int) -> Plan:
        wants = [criterion("boot.uptime_s", ">=", Decimal(1), "s")]
        names = [f"{200 + number}@pod-001" for number in range(steps)]
        made = []
        for name in names:
            book = f"networking/{name[:3]}.yml"
            self.witness.write_playbook(book, beats=beats, changes=False)
            made.append(
                activity(
                    name, playbook=book, kind="verify", effect="read", policy={"needed": "by-hand"}, criteria=wants
                )
            )
        units: list[dict[str, Any]] = [
            {"id": "site", "kind": "site", "parent": None, "title": "Site"},
            {"id": "pod-001", "kind": "pod", "parent": "site", "title": "Pod", "hosts": self.hosts},
        ]
        links = [link(before, after) for before, after in pairwise(names)]
        return small_plan(activities=made, links=links, units=units, orders=[])

    def serve(self) -> None:
        """Start Prefect's server, and wait until it answers."""
        home = self.folder / "prefect"
        home.mkdir(exist_ok=True)
        own = {
            "PREFECT_HOME": str(home),
            "PREFECT_SERVER_API_AUTH_STRING": LOGIN,
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_API_DATABASE_CONNECTION_URL": self._database.replace("postgresql", "postgresql+asyncpg"),
        }
        words = ("-P", "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(self.port))
        self._start("server", words, own)
        until(self.api.answers, seconds=120)

    def add_worker(self, name: str, **settings: Any) -> Path:
        """Make a worker's folder and key, and note it for the next dispatcher."""
        folder = self.folder / name
        folder.mkdir()
        text = {
            "name": name,
            "site": "site",
            "prefect": f"http://127.0.0.1:{self.port}/api",
            "exchange": str(self.exchange),
        }
        (folder / "worker.yaml").write_text("".join(f"{key}: {value}\n" for key, value in (text | settings).items()))
        made = called(["worker", "key", "--folder", folder])
        assert made.returncode == 0, made.stderr
        self.workers[name] = made.stdout.partition(": ")[2].strip()
        return folder

    def work(self, name: str) -> subprocess.Popen[bytes]:
        """Start a worker that was added."""
        return self._start(name, ("-c", WORKER, str(self.folder / name)), {"PREFECT_API_AUTH_STRING": LOGIN})

    def dispatch(self, name: str = "site") -> subprocess.Popen[bytes]:
        """Start a dispatcher in a folder of the site, which is made if it is not there."""
        folder = elsewhere(self.site, name)
        text = (
            (self.site / "site.yaml")
            .read_text(encoding="utf-8")
            .partition("\nteam:")[0]
            .replace("hosts.yml", "hosts.ini")
        )
        lines = [f"  {key}: {value}" for key, value in self._team.items()] + ["  workers:"]
        lines += [f"    {worker}: {key}" for worker, key in self.workers.items()]
        of_team = f"\nteam:\n  prefect: http://127.0.0.1:{self.port}/api\n  exchange: {self.exchange}\n" + "\n".join(
            lines
        )
        (folder / "site.yaml").write_text(text + of_team + "\n", encoding="utf-8")
        if folder != self.site and not (folder / "inventory").exists():
            (folder / "inventory").symlink_to(self.site / "inventory")
        words = ("-c", ENGINE, str(folder), "0", str(self.witness.playbooks))
        return self._start(f"dispatcher {name}", words, {"PREFECT_API_AUTH_STRING": LOGIN})

    def said(self, name: str) -> str:
        """Return what a process has printed."""
        return (self.folder / f"{name}.log").read_text(encoding="utf-8")

    def states(self) -> dict[str, str]:
        """Return the state of each activity."""
        with open_snapshot(self.site) as snapshot:
            return {row.id: row.state.value for row in activities(snapshot)}

    def runs(self) -> list[RunRow]:
        """Return the runs that the record has."""
        with open_snapshot(self.site) as snapshot:
            return runs(snapshot)

    def slices(self) -> list[dict[str, Any]]:
        """Return the flow runs of slices, as Prefect shows them."""
        return self.api.some("flow_runs", {"flow_runs": {"tags": {"all_": ["slice"]}}})

    def at_work(self) -> list[psutil.Process]:
        """Return the processes of playbooks of this site's workers."""
        found = []
        for process in psutil.process_iter(["cwd", "cmdline"]):
            words = " ".join([process.info["cwd"] or "", *(process.info["cmdline"] or [])])
            if str(self.folder) in words and "/runs/" in words:
                found.append(process)
        return found

    def end(self) -> None:
        """End every process."""
        for name, process in reversed(self.processes.items()):  # who needs another one ends before it
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGCONT)
                process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise AssertionError(f"{name} did not end:\n{self.said(name)}") from None

    def _start(self, name: str, words: tuple[str, ...], own: dict[str, str]) -> subprocess.Popen[bytes]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")}
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *words],
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env=kept | own,
            )
        self.processes[name] = process
        return process
