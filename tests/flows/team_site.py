"""A team of real processes: a ledger in PostgreSQL, a Prefect server with a login, dispatchers and workers, each in a folder of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import redis
import yaml

from flows.dashboard.prefect_api import PrefectApi
from ledger.machine_time import machine_time
from ledger.questions.activities import activities
from ledger.questions.records import RunRow, runs
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from steps.planning.plan import Plan
from tests.commands import called
from tests.flows.conftest import until
from tests.flows.engine_kills import ENGINE
from tests.flows.witness import BEAT_S, Witness
from tests.ledger.conftest import activity, criterion, elsewhere, link, share, small_plan
from tests.ports import free_port
from tests.postgres_server import EVERYBODY, Server

LOGIN = "team:of-a-test"
COMPOSE = yaml.safe_load((Path(__file__).parents[2] / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
IN_COMPOSE = {"server": "prefect", "services": "prefect-services", "migration": "prefect-migrate"}
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
        self,
        folder: Path,
        postgres: Server | None,
        *,
        pods: int = 1,
        hosts: int = 2,
        steps: int = 1,
        beats: int = 3,
        beat_s: float = BEAT_S,
        signed: bool = False,
        clock: Callable[[], datetime] = machine_time,
        exchange: str = "",
        **team: Any,
    ) -> None:
        """Make the site, with steps one after the other over all hosts of a pod, each of which reads.

        Signed, each pod begins with work of people. Without PostgreSQL its ledger is a file, and it has no team. The plan is adopted at the
        clock's time. `exchange` is the address of a bucket, where it is not a folder of this site.
        """
        self.folder, self.site, self.witness = folder, folder / "site", Witness(folder)
        self.exchange, self._team = folder / "exchange", team
        self.exchange.mkdir()
        self._stated = exchange or str(self.exchange)
        self.port, self.processes = free_port(), dict[str, subprocess.Popen[bytes]]()
        self.api = PrefectApi(f"http://127.0.0.1:{self.port}/api", LOGIN)
        self.workers: dict[str, str] = {}
        self._redis = 0
        made = called(["init", "--preset", "localhost", self.site])
        assert made.returncode == 0, made.stderr
        here = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
        self._pods = {
            pod: [f"{pod}-n{number + 1}" for number in range(hosts)]
            for pod in (f"pod-{one + 1:03}" for one in range(pods))
        }
        self.hosts = [host for there in self._pods.values() for host in there]
        (self.site / "inventory" / "hosts.yml").unlink()
        site_yaml = self.site / "site.yaml"
        site_yaml.write_text(site_yaml.read_text(encoding="utf-8").replace("hosts.yml", "hosts.ini"), encoding="utf-8")
        (self.site / "inventory" / "hosts.ini").write_text("".join(f"{host} {here}\n" for host in self.hosts))
        if postgres:
            self.share(postgres)
        with create_ledger(
            self.site, site_name="Team", time_zone="UTC", rehearsal=False, owner="pm", clock=clock
        ) as ledger:
            adopt_plan(ledger, "pm", self._plan(steps, beats, beat_s, signed), reason="a team's")

    def share(self, postgres: Server) -> None:
        """Let a server have the ledger, and Prefect's tables in a schema of their own."""
        self._database = postgres.url(postgres.database(), "admin")
        share(self.site, postgres.url(postgres.database(), EVERYBODY))

    def _plan(self, steps: int, beats: int, beat_s: float, signed: bool) -> Plan:
        wants = [criterion("boot.uptime_s", ">=", Decimal(1), "s")]
        books = [f"networking/{200 + number}.yml" for number in range(steps)]
        for book in books:
            self.witness.write_playbook(book, beats=beats, changes=False, beat_s=beat_s)
        reads: dict[str, Any] = {"kind": "verify", "effect": "read", "policy": {"needed": "by-hand"}, "criteria": wants}
        units: list[dict[str, Any]] = [{"id": "site", "kind": "site", "parent": None, "title": "Site"}]
        made, links = [], []
        for pod, hosts in self._pods.items():
            units.append({"id": pod, "kind": "pod", "parent": "site", "title": pod, "hosts": hosts})
            by_people = [f"100@{pod}"] if signed else []
            names = [f"{200 + number}@{pod}" for number in range(steps)]
            made += [activity(name) for name in by_people]
            made += [activity(name, playbook=book, leads=[], **reads) for name, book in zip(names, books, strict=True)]
            links += [link(before, after) for before, after in pairwise(by_people + names)]
        return small_plan(activities=made, links=links, units=units, orders=[])

    def serve(self) -> None:
        """Start Prefect's server in one process, and wait until it answers."""
        self.start("server")
        until(self.api.answers, seconds=120)

    def serve_apart(self) -> None:
        """Start Prefect's server as docker-compose.yml does: Redis, then its database, then what answers and what has the services."""
        self._redis = free_port()
        self.start("redis")
        database = self.start("migration")
        assert database.wait(120) == 0, self.said("migration")
        self.start("server")
        until(self.api.answers, seconds=120)
        self.start("services")
        until(lambda: b"task-run-recorder" in self._readers(), seconds=120)

    def _readers(self) -> set[bytes]:
        """Return the services that read what Redis has of Prefect's events. None before the server has written there."""
        with suppress(redis.ResponseError), redis.Redis(port=self._redis) as client:
            return {group["name"] for group in client.xinfo_groups("events")}
        return set()

    def start(self, name: str) -> subprocess.Popen[bytes]:
        """Start a process of the team by its name, also again."""
        if name.startswith("worker"):
            return self.work(name)
        if name.startswith("dispatcher"):
            return self.dispatch(name.removeprefix("dispatcher "))
        if name == "redis":
            home = self.folder / "redis"
            home.mkdir(exist_ok=True)
            own = ("--port", str(self._redis), "--dir", str(home), "--bind", "127.0.0.1")
            return self._start(name, (*COMPOSE["redis"]["command"].split(), *own), {})
        words = COMPOSE[IN_COMPOSE[name]]["command"]
        if name == "server":
            words = [word.replace("0.0.0.0", "127.0.0.1") for word in words] + ["--port", str(self.port)]
            words = words if self._redis else [word for word in words if word != "--no-services"]
        return self._start(name, (sys.executable, "-P", "-m", *words), self._of_server())

    def _of_server(self) -> dict[str, str]:
        """Return the settings of Prefect's server: in parts, those of docker-compose.yml with the addresses of this machine."""
        home = self.folder / "prefect"
        home.mkdir(exist_ok=True)
        own = {
            "PREFECT_HOME": str(home),
            "PREFECT_SERVER_API_AUTH_STRING": LOGIN,
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_API_DATABASE_CONNECTION_URL": self._database.replace("postgresql", "postgresql+asyncpg"),
        }
        if not self._redis:
            return own
        stated = COMPOSE["prefect"]["environment"].items()
        here = {
            name: text.replace("redis:6379", f"127.0.0.1:{self._redis}") for name, text in stated if "$" not in text
        }
        port = {"PREFECT_REDIS_MESSAGING_HOST": "127.0.0.1", "PREFECT_REDIS_MESSAGING_PORT": str(self._redis)}
        return here | port | own

    def add_worker(self, name: str, **settings: Any) -> Path:
        """Make a worker's folder and key, and note it for the next dispatcher."""
        folder = self.folder / name
        folder.mkdir()
        text = {
            "name": name,
            "site": "site",
            "prefect": f"http://127.0.0.1:{self.port}/api",
            "exchange": self._stated,
        }
        (folder / "worker.yaml").write_text("".join(f"{key}: {value}\n" for key, value in (text | settings).items()))
        made = called(["worker", "key", "--folder", folder])
        assert made.returncode == 0, made.stderr
        self.workers[name] = made.stdout.partition(": ")[2].strip()
        return folder

    def work(self, name: str) -> subprocess.Popen[bytes]:
        """Start a worker that was added."""
        return self._start(
            name, (sys.executable, "-c", WORKER, str(self.folder / name)), {"PREFECT_API_AUTH_STRING": LOGIN}
        )

    def dispatch(self, name: str = "site") -> subprocess.Popen[bytes]:
        """Start a dispatcher in a folder of the site, which is made if it is not there."""
        folder = elsewhere(self.site, name)
        text = (self.site / "site.yaml").read_text(encoding="utf-8").partition("\nteam:")[0]
        lines = [f"  {key}: {value}" for key, value in self._team.items()] + ["  workers:"]
        lines += [f"    {worker}: {key}" for worker, key in self.workers.items()]
        of_team = f"\nteam:\n  prefect: http://127.0.0.1:{self.port}/api\n  exchange: {self._stated}\n" + "\n".join(
            lines
        )
        (folder / "site.yaml").write_text(text + of_team + "\n", encoding="utf-8")
        if folder != self.site and not (folder / "inventory").exists():
            (folder / "inventory").symlink_to(self.site / "inventory")
        return self._engine(name, folder, 0, {"PREFECT_API_AUTH_STRING": LOGIN})

    def run_alone(self) -> subprocess.Popen[bytes]:
        """Start an engine with a dashboard of its own, and no team."""
        return self._engine("alone", self.site, self.port, {})

    def _engine(self, name: str, folder: Path, port: int, own: dict[str, str]) -> subprocess.Popen[bytes]:
        allowed = called(["allow", "--yes", "--site", folder])
        assert allowed.returncode == 0, allowed.stderr
        words = (sys.executable, "-c", ENGINE, str(folder), str(port), str(self.witness.playbooks))
        return self._start(f"dispatcher {name}", words, own)

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
                process.wait(120)  # a dispatcher waits a minute for what its dashboard has lost
            except subprocess.TimeoutExpired:
                process.kill()
                raise AssertionError(f"{name} did not end:\n{self.said(name)}") from None

    def _start(self, name: str, words: tuple[str, ...], own: dict[str, str]) -> subprocess.Popen[bytes]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")}
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                words,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env=kept | own,
            )
        self.processes[name] = process
        return process
