"""A host that has power or not: systemd as the first process of its own namespaces, run by systemd-nspawn.

Only the supervisor makes these: it is the parent of every host and knows at once when one ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path

from tests.lab import disks, groups, network
from tests.lab.lab import Lab
from tests.lab.topology import Host

ASKED_TO_REBOOT = 133
# systemd's own: poweroff.target and reboot.target
POWER_OFF = signal.SIGRTMIN + 4
REBOOT = signal.SIGRTMIN + 5
# /proc/sys/net is the host's own and may be tuned, the rest of /proc/sys is the machine's; control groups are version 2
ENVIRONMENT = {"SYSTEMD_NSPAWN_API_VFS_WRITABLE": "network", "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}

# by which hosts mount what is not on their disk: file systems of programs, and those that are mounted when somebody looks
MOUNTING = ("/dev/fuse", "/dev/autofs")


class PoweredHost:
    """One host's power, disk and processes."""

    def __init__(self, lab: Lab, host: Host, layers: list[Path]) -> None:
        self.lab = lab
        self.host = host
        self.layers = layers
        self.group = groups.group(lab.name, "hosts", host.name)
        self.boots = 0
        self._wanted = False
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.RLock()

    @property
    def power(self) -> str:
        """Return `on`, `paused` or `off`."""
        process = self._process
        if process is None or process.poll() is not None:
            return "off"
        return "paused" if groups.is_frozen(self.group) else "on"

    def on(self) -> None:
        """Switch the host on, if it is not on."""
        with self._lock:
            if self.power == "off":
                self._wanted = True
                self._boot()

    def off(self) -> None:
        """Cut the power: every process ends where it stands."""
        with self._lock:
            self._wanted = False
            groups.kill(self.group)
            if self._process:
                self._process.wait()
            network.disconnect_host(self.lab, self.host)

    def shut_down(self) -> None:
        """Press the power button: the host shuts its services down and ends."""
        self._signal(POWER_OFF)

    def reboot(self) -> None:
        """Ask the host to start again by itself."""
        self._signal(REBOOT)

    def reset(self) -> None:
        """Cut the power and give it back."""
        with self._lock:
            self.off()
            self.on()

    def provision(self) -> None:
        """Boot the host with a fresh disk and its ports as they were made."""
        with self._lock:
            self.off()
            disks.wipe(self.lab, self.host)
            network.reset_host(self.lab, self.host)
            self.on()

    def pause(self) -> None:
        """Stop every process where it stands: the host hangs."""
        groups.freeze(self.group, frozen=True)

    def resume(self) -> None:
        """Let the processes go on."""
        groups.freeze(self.group, frozen=False)

    def _signal(self, number: int) -> None:
        leader = self._leader()
        if leader is not None:
            os.kill(leader, number)

    def _leader(self) -> int | None:
        """Return the pid of the host's systemd: the one child of its nspawn."""
        if self._process is None or self._process.poll() is not None:
            return None
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
        return int(children[0]) if children else None

    def _boot(self) -> None:
        groups.freeze(self.group, frozen=False)
        root = disks.mount(self.lab, self.host, self.layers)
        network.connect_host(self.lab, self.host)
        # nspawn takes the group it finds itself in; the shell enters it before there is anything else
        enter = f'echo $$ >{self.group}/cgroup.procs && exec "$@"'
        folder = self.lab.host_folder(self.host)
        with (folder / "console.log").open("ab") as console:
            self._process = subprocess.Popen(
                ["sh", "-c", enter, "sh", *self._nspawn(root)],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                env=os.environ | ENVIRONMENT,
            )
        self.boots += 1
        threading.Thread(target=self._follow, args=(self._process,), daemon=True).start()

    def _nspawn(self, root: Path) -> list[str]:
        namespace = network.NAMESPACES / self.lab.interface(self.host)
        return [
            *("systemd-nspawn", "--quiet", "--keep-unit", "--register=no", "--boot", f"--directory={root}"),
            *(f"--machine={self.lab.interface(self.host)}", f"--hostname={self.host.name}"),
            *(f"--network-namespace-path={namespace}", "--resolv-conf=off", "--timezone=off", "--link-journal=no"),
            # everything a server's root may do but set the machine's one clock
            *("--capability=all", "--drop-capability=CAP_SYS_TIME", "--system-call-filter=@keyring bpf"),
            *(f"--bind={device}" for device in MOUNTING if Path(device).exists()),
            *self._switch(),
        ]

    def _switch(self) -> list[str]:
        """Let the simulators' host, and no other, switch hosts' power."""
        if self.host.name != self.lab.topology.simulator_host:
            return []
        return [f"--bind={self.lab.socket.parent}:/run/lab"]

    def _follow(self, process: subprocess.Popen[bytes]) -> None:
        """When a host ends by itself: boot it again if it asked for that, else it has no power."""
        code = process.wait()
        with self._lock:
            if process is not self._process or not self._wanted:
                return
            if code == ASKED_TO_REBOOT:
                self._boot()
            else:
                self._wanted = False
                network.disconnect_host(self.lab, self.host)
