"""Where a proof is tried with a fault: its own script, with programs that answer as a test says, or with the real ones."""

from __future__ import annotations

import io
import itertools
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.lab.playing import FOLDER
from tests.needs import require
from tests.playbooks.scripts import script
from tests.ports import free_port

SLURM = {
    "runuser": 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
    "sbatch": 'n=$(($(cat "$BENCH/jobs" 2>/dev/null || echo 0) + 1)); echo $n >"$BENCH/jobs"; echo $n',
    "sinfo": 'case "$*" in *"%N %G"*) echo "node-1 gpu:8";; *%G*) echo gpu:8;; *) printf "node-1\\nnode-2\\n";; esac',
    "sacct": "echo COMPLETED",
    "squeue": "exit 0",
    "scancel": "exit 0",
    "scontrol": "exit 0",
    "srun": "exit 0",
    "sshare": "echo 'cwproof|1'",
    "systemctl": "exit 0",
}
"""A scheduler that takes everything and ends it well, as Slurm's commands print it."""


class Bench:
    """A folder with programs that answer as a case says, and services on free ports. `close` ends them."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.patch = folder, patch
        self._bin = folder / "bin"
        self._bin.mkdir()
        self._running: list[subprocess.Popen[bytes]] = []
        self._servers: list[ThreadingHTTPServer] = []
        patch.setenv("BENCH", str(folder))
        patch.setenv("PATH", str(self._bin), prepend=os.pathsep)

    def close(self) -> None:
        """End what was started."""
        for program in self._running:
            program.kill()
            program.wait()
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def keep(self, program: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        """Return a program that ends with this bench."""
        self._running.append(program)
        return program

    def programs(self, said: Mapping[str, str]) -> None:
        """Put programs on the path, each by its name and its lines of shell."""
        for name, text in said.items():
            file = self._bin / name
            file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            file.chmod(0o755)

    def slurm(self, **said: str) -> None:
        """Put a scheduler on the path, of which these commands answer otherwise."""
        self.programs(SLURM | said)
        self.patch.setattr(script("proof", "slurm_jobs"), "home", lambda: str(self.folder))

    def proof(self, name: str, *arguments: object, **constants: Any) -> dict[str, Any]:
        """Run a proof's script with these arguments and constants, with its patience over soon. Return what it prints."""
        module = script("proof", name)
        self._hurry(module)
        for constant, value in constants.items():
            self.patch.setattr(module, constant, value)
        self.patch.setattr(sys, "argv", [name, *map(str, arguments)])
        said = io.StringIO()
        with redirect_stdout(said):
            module.main()
        found: dict[str, Any] = json.loads(said.getvalue().splitlines()[-1])
        return found

    def _hurry(self, module: ModuleType) -> None:
        """Let twenty seconds pass whenever the script looks at its clock, and none when it sleeps."""
        seconds = itertools.count(0, 20)
        hurried = SimpleNamespace(monotonic=lambda: float(next(seconds)), time=time.time, sleep=lambda _: None)
        for one in (module, script("proof", "slurm_jobs"), script("proof", "series_found")):
            if hasattr(one, "time"):
                self.patch.setattr(one, "time", hurried)

    def answers(self, text: str) -> str:
        """Return the address of a service that answers every question with this text."""

        class Answer(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST = _answer  # noqa: N815  # the base class calls them so

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self._servers.append(server)
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}"

    def prometheus(self, series: str = "") -> str:
        """Return the address of a real Prometheus that has scraped these series."""
        require("prometheus")
        target = self.answers(f"{series}\n").removeprefix("http://")
        scrape = [{"job_name": "bench", "honor_labels": True, "static_configs": [{"targets": [target]}]}]
        settings = {"global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "scrape_configs": scrape}
        return self._database(settings, "count_over_time(up[1m])>2")

    def past(self, samples: str, **scraped: str) -> str:
        """Return the address of a real Prometheus that has scraped these samples, in OpenMetrics with their times.

        By job it knows an instance that it is to scrape; it does not begin for a year.
        """
        require("prometheus", "promtool")
        (self.folder / "past").write_text(f"{samples}\n# EOF\n", encoding="utf-8")
        command = [
            "promtool",
            "tsdb",
            "create-blocks-from",
            "openmetrics",
            f"{self.folder}/past",
            f"{self.folder}/tsdb",
        ]
        subprocess.run(command, check=True, capture_output=True)
        scrape = [
            {
                "job_name": job,
                "scrape_interval": "1y",
                "static_configs": [{"targets": ["127.0.0.1:9"], "labels": {"instance": instance}}],
            }
            for job, instance in scraped.items()
        ]
        return self._database({"scrape_configs": scrape}, "up")

    def _database(self, settings: dict[str, Any], found: str) -> str:
        """Start a Prometheus, and wait until a query finds something."""
        (self.folder / "prometheus.yml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        port = free_port()
        options = (f"--storage.tsdb.path={self.folder}/tsdb", f"--web.listen-address=127.0.0.1:{port}")
        command = ["prometheus", f"--config.file={self.folder}/prometheus.yml", *options]
        self._running.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        url = f"http://127.0.0.1:{port}"
        end = time.monotonic() + 60
        while not _has(f"{url}/api/v1/query?query={found}"):
            assert time.monotonic() < end, "Prometheus has scraped nothing"
            time.sleep(0.2)
        return url


def _has(question: str) -> bool:
    try:
        with urllib.request.urlopen(question.replace(">", "%3E"), timeout=10) as answer:
            return bool(json.load(answer)["data"]["result"])
    except (urllib.error.URLError, OSError):
        return False


def arguments(playbook: str, script_name: str) -> list[str]:
    """Return the arguments that a playbook hands a proof."""
    plays = yaml.safe_load((FOLDER / playbook).read_text(encoding="utf-8"))
    roles = (role for play in plays for role in play.get("roles", ()))
    found: list[str] = next(role["proof_arguments"] for role in roles if role.get("proof_script") == script_name)
    return found
