"""The lab's one process on the machine: parent of every host, and the switch that commands and simulators reach.

It runs in a mount namespace of its own, so that the hosts' disks are mounted nowhere else and go with it, however it ends.
"""

from __future__ import annotations

import json
import signal
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.lab import disks, groups, image
from tests.lab.hosts import PoweredHost
from tests.lab.lab import Lab, cache, find_lab
from tests.lab.processes import Recorded, record, recorded
from tests.lab.sims.power import PowerError, ask

ROOT = Path(__file__).parents[2]
PATIENCE_S = 20
ACTIONS: dict[str, Callable[[PoweredHost], None]] = {
    "state": lambda host: None,
    "on": PoweredHost.on,
    "off": PoweredHost.off,
    "shut-down": PoweredHost.shut_down,
    "reboot": PoweredHost.reboot,
    "reset": PoweredHost.reset,
    "provision": PoweredHost.provision,
    "pause": PoweredHost.pause,
    "resume": PoweredHost.resume,
}


def start(lab: Lab) -> None:
    """Start the supervisor, which boots every host, unless it runs; come back when it answers."""
    if supervisor_of(lab):
        return
    groups.kill(groups.group(lab.name))  # hosts of a supervisor that was killed: their disks are in use
    lab.socket.parent.mkdir(parents=True, exist_ok=True)
    lab.socket.unlink(missing_ok=True)
    entered = f'echo $$ >{groups.group(lab.name, "supervisor")}/cgroup.procs && exec "$@"'
    own_mounts = ["unshare", "--mount", "--propagation", "slave"]
    with (lab.folder / "supervisor.log").open("ab") as log:
        process = subprocess.Popen(
            ["sh", "-c", entered, "sh", *own_mounts, sys.executable, "-m", "tests.lab.supervisor", lab.name],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    record(process.pid, lab.folder / "supervisor.pid")
    until = time.monotonic() + PATIENCE_S
    while not lab.socket.exists():
        if process.poll() is not None or time.monotonic() > until:
            raise SystemExit(f"the lab's supervisor does not start; its words are in {lab.folder / 'supervisor.log'}")
        time.sleep(0.02)


def supervisor_of(lab: Lab) -> Recorded | None:
    """Return the lab's supervisor if it runs."""
    process = recorded(lab.folder / "supervisor.pid")
    return process if process and process.alive else None


def switch(lab: Lab, action: str, host: str) -> dict[str, Any]:
    """Have the supervisor switch a host; give the host's state after it."""
    lab.topology.host(host)
    try:
        return ask(action, host, str(lab.socket))
    except (FileNotFoundError, ConnectionError):
        raise SystemExit(f"the supervisor of lab {lab.name} does not run: `down`, then `up`") from None
    except PowerError as error:
        raise SystemExit(str(error)) from None


class Switchboard(socketserver.ThreadingUnixStreamServer):
    """Answers on the socket, a request a line."""

    daemon_threads = True

    def __init__(self, lab: Lab, hosts: dict[str, PoweredHost]) -> None:
        self.hosts = hosts
        super().__init__(str(lab.socket), _Connection)


class _Connection(socketserver.StreamRequestHandler):
    server: Switchboard

    def handle(self) -> None:
        request = json.loads(self.rfile.readline())
        host = self.server.hosts.get(request["host"])
        action = ACTIONS.get(request["action"])
        if host is None or action is None:
            answer: dict[str, Any] = {"error": f"no host {request['host']!r} or no action {request['action']!r}"}
        else:
            answer = _done(action, host)
        self.wfile.write((json.dumps(answer) + "\n").encode())


def _done(action: Callable[[PoweredHost], None], host: PoweredHost) -> dict[str, Any]:
    try:
        action(host)
    except (OSError, SystemExit) as error:
        return {"error": f"{host.host.name}: {error}"}
    return {"host": host.host.name, "power": host.power, "booted": host.boots}


def serve(lab: Lab) -> None:
    """Boot every host at once, then switch them as asked until told to end; all of them end first."""
    layers = disk_layers(lab)
    hosts = {host.name: PoweredHost(lab, host, layers[host.name]) for host in lab.topology.hosts}
    packages = _serve_packages(lab)
    board = Switchboard(lab, hosts)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=board.shutdown).start())
    with ThreadPoolExecutor(len(hosts)) as pool:
        for booting in [pool.submit(host.on) for host in hosts.values()]:
            booting.result()
        board.serve_forever(poll_interval=0.1)
        for ending in [pool.submit(host.off) for host in hosts.values()]:
            ending.result()
    packages.kill()
    packages.wait()


def disk_layers(lab: Lab) -> dict[str, list[Path]]:
    """Return by host the images under its disk. What this week has not built yet is built."""
    layers = {host.name: [image.base_image(host.release)] for host in lab.topology.hosts}
    if lab.topology.needs_simulators:
        under = layers[lab.topology.simulator_host]
        under.append(image.simulators_layer(under[0]))
    return layers


def _serve_packages(lab: Lab) -> subprocess.Popen[bytes]:
    script = Path(__file__).parent / "packages_cache.py"
    command = [sys.executable, script, lab.addresses.gateway, disks.PACKAGES_PORT, cache() / "packages"]
    return subprocess.Popen([str(word) for word in command])


def main() -> None:
    """Supervise the lab that is named."""
    lab = find_lab(sys.argv[1])
    assert lab, "the lab's terms are written before its supervisor starts"
    serve(lab)


if __name__ == "__main__":
    main()
