"""A small InfiniBand fabric of ibsim with real subnet managers, for proofs: two leaves, two spines, two managers' hosts, three servers."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.acceptance.bench import Bench
from tests.lab.fabric import LIBRARY
from tests.needs import require
from tests.playbooks.scripts import script

LINKS = [
    ["fm-1 1", "leaf-1 1"], ["fm-2 1", "leaf-2 1"], ["node-1 1", "leaf-1 2"], ["node-2 1", "leaf-2 2"], ["node-3 1", "leaf-1 3"],
    *([f"leaf-{leaf} {10 + spine}", f"spine-{spine} {leaf}"] for leaf in (1, 2) for spine in (1, 2)),
]  # fmt: skip
PATIENCE_S = 20


class SmallFabric:
    """The fabric. Everything of it ends with the bench."""

    def __init__(self, bench: Bench, seen_from: str = "fm-2", **drawn: Any) -> None:
        require("ibsim", "opensm", "ibnetdiscover")
        self._bench, self._folder = bench, bench.folder
        net, console = self._folder / "net", self._folder / "console"
        net.write_text(_net_list(), encoding="utf-8")
        os.mkfifo(console)
        self._console = os.open(console, os.O_RDWR)  # ibsim ends with its standard input
        bench.patch.setenv("IBSIM_SOCKNAME", f"bench-{self._folder.name}-{os.getpid()}")
        self._start(["ibsim", "-s", str(net)], stdin=self._console)
        time.sleep(0.3)
        site = {"links": LINKS, "managers": ["fm-1", "fm-2"], "partitions": []} | drawn
        self.environment = {"LD_PRELOAD": LIBRARY, "SIM_HOST": seen_from}
        file = self._folder / "fabric.json"
        file.write_text(json.dumps(site | {"environment": self.environment}), encoding="utf-8")
        bench.patch.setattr(script("subnet_manager", "fabric_view"), "FILE", file)

    def manager(self, host: str, priority: int, partitions: str = "") -> subprocess.Popen[bytes]:
        """Start a manager on a host, and wait until it is one."""
        folder = self._folder / host
        folder.mkdir()
        (folder / "partitions").write_text(partitions, encoding="utf-8")
        settings = {
            "sm_priority": priority,
            "sminfo_polling_timeout": 300,
            "polling_retry_number": 2,
            "partition_config_file": folder / "partitions",
            "log_file": folder / "log",
            "force_log_flush": "TRUE",
        }
        if not partitions:
            settings.pop("partition_config_file")
        (folder / "conf").write_text("".join(f"{k} {v}\n" for k, v in settings.items()), encoding="utf-8")
        ran = self._start(
            ["opensm", "--config", str(folder / "conf")],
            env=os.environ
            | self.environment
            | {"SIM_HOST": host, "OSM_CACHE_DIR": str(folder), "OSM_TMP_DIR": str(folder)},
            cwd=folder,
        )
        end = time.monotonic() + PATIENCE_S
        while not any(word in _text(folder / "log") for word in ("SUBNET UP", "Entering STANDBY")):
            assert time.monotonic() < end, _text(folder / "log")
            time.sleep(0.1)
        return ran

    def say(self, command: str) -> None:
        """Type a command on ibsim's console."""
        os.write(self._console, f"{command}\n".encode())
        time.sleep(0.2)

    def routes(self) -> Path:
        """Return a file of the routes of every switch."""
        file = self._folder / "routes"
        asked = script("subnet_manager", "fabric_view").asked
        file.write_text(asked("dump_lfts"), encoding="utf-8")
        return file

    def _start(self, words: list[str], **options: Any) -> subprocess.Popen[bytes]:
        return self._bench.keep(
            subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        )


def _net_list() -> str:
    """Return ibsim's net list, each link written from both ends."""
    ends: dict[str, list[str]] = {}
    for a, b in LINKS:
        for (one, port), (other, far) in ((a.split(), b.split()), (b.split(), a.split())):
            ends.setdefault(one, []).append(f'[{port}]\t"{other}"[{far}]')
    kinds = {name: "Switch\t36" if name.startswith(("leaf", "spine")) else "Hca\t1" for name in ends}
    return "\n\n".join("\n".join((f'{kinds[name]}\t"{name}"', *links)) for name, links in ends.items()) + "\n"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
