"""How tests reach a lab from outside: SSH, Redfish over checked TLS, Modbus by hand. Nothing of the lab's own code answers."""

from __future__ import annotations

import base64
import json
import socket
import ssl
import struct
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tests.lab.lab import Lab
from tests.lab.lifecycle import ssh_command

T = TypeVar("T")


def ssh(lab: Lab, host: str, command: str) -> str:
    """Return what a command on a host prints. A command that fails makes the test fail, with what it printed."""
    done = subprocess.run([*ssh_command(lab, host), command], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, f"{host}: {command}: {done.stderr or done.stdout}"
    return done.stdout.strip()


def answers(lab: Lab, host: str) -> bool:
    """Say whether a host lets us in within two seconds."""
    command = [*ssh_command(lab, host), "true"]
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=2).returncode == 0
    except subprocess.TimeoutExpired:
        return False


class PeoplesKey(NamedTuple):
    """An SSH key by which people come in, beside the lab's own."""

    lab: Lab
    file: Path

    @classmethod
    def made(cls, lab: Lab, folder: Path) -> PeoplesKey:
        """Return a new key, which is in a folder."""
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key")], check=True)
        return cls(lab, folder / "key")

    @property
    def public(self) -> str:
        """The line of the public key."""
        return self.file.with_suffix(".pub").read_text(encoding="utf-8").strip()

    def run(self, name: str, host: str, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command on a host as a person."""
        words = [word for word in ssh_command(self.lab, host)[:-1] if word != str(self.lab.key)]
        words.remove("-i")
        address = self.lab.addresses.of(self.lab.topology.host(host).number)
        login = [*words, "-i", str(self.file), f"{name}@{address}", command]
        return subprocess.run(login, capture_output=True, text=True, check=False, timeout=180)


@contextmanager
def broken(lab: Lab, by: str, right_by: str, *hosts: str) -> Iterator[None]:
    """Break hosts by a command, and put them right by another whatever happens."""
    try:
        for host in hosts:
            ssh(lab, host, by)
        yield
    finally:
        for host in hosts:
            ssh(lab, host, right_by)


def until(read: Callable[[], T], is_so: Callable[[T], object], *, seconds: float) -> T:
    """Read again and again until it is so; give the last reading either way, for the test to judge."""
    end = time.monotonic() + seconds
    while not is_so(reading := read()) and time.monotonic() < end:
        time.sleep(0.2)
    return reading


def neighbours(lab: Lab, host: str) -> dict[str, str]:
    """Return a host's neighbours by LLDP: for each of its ports the neighbour's name and port."""
    told = json.loads(ssh(lab, host, "lldpcli -f json0 show neighbors"))["lldp"]
    found = {}
    for interface in told[0].get("interface", []):
        port = interface["port"][0]
        found[interface["name"]] = f"{interface['chassis'][0]['name'][0]['value']} {port['id'][0]['value']}"
    return found


def service(lab: Lab, port: int, path: str, body: object = None, account: str = "") -> str:
    """Return what a service of the management host answers to the operator, or to another `name:password`."""
    trust = ssl.create_default_context(cadata=ssh(lab, "mgmt", "cat /etc/clusterwright/authority.pem"))
    account = account or f"operator:{lab.password_file.read_text(encoding='utf-8')}"
    request = urllib.request.Request(
        f"https://{lab.addresses.of(lab.topology.host('mgmt').number)}:{port}{path}",
        json.dumps(body).encode() if body is not None else None,
        {"Authorization": f"Basic {base64.b64encode(account.encode()).decode()}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, context=trust, timeout=15) as answer:
        return str(answer.read().decode())


class Bmc:
    """A client of one host's BMC."""

    def __init__(self, lab: Lab, host: str) -> None:
        self.base = f"https://{lab.addresses.bmc(lab.topology.host(host))}"
        self.trust = ssl.create_default_context(cafile=str(lab.folder / "ca.pem"))
        user = f"admin:{lab.password_file.read_text(encoding='utf-8')}"
        self.headers = {"Authorization": f"Basic {base64.b64encode(user.encode()).decode()}"}

    def ask(self, path: str, method: str = "GET", body: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Return the status and document that answer a request."""
        text = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, text, self.headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self.trust, timeout=20) as answer:
                return answer.status, json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"{}")

    def get(self, path: str) -> dict[str, Any]:
        """Return a document below /redfish/v1."""
        status, document = self.ask(f"/redfish/v1{path}")
        assert status == 200, document
        return document

    def post(self, path: str, **body: Any) -> int:
        """Do an action below /redfish/v1; give the status."""
        return self.ask(f"/redfish/v1{path}", "POST", body)[0]

    def reset(self, kind: str) -> int:
        """Press a button; give the status."""
        return self.post("/Systems/1/Actions/ComputerSystem.Reset", ResetType=kind)

    def power(self) -> str:
        """Return `On` or `Off`."""
        return str(self.get("/Systems/1")["PowerState"])


def modbus(address: str, function: int, first: int, value: int) -> bytes:
    """Return a Modbus unit's answer to one request, without its header: `value` is a count, or what is written."""
    with socket.create_connection((address, 502), 5) as connection:
        connection.sendall(struct.pack(">HHHBBHH", 1, 0, 6, 1, function, first, value))
        header = connection.recv(7)
        assert len(header) == 7, "the unit closed the connection"
        return connection.recv(struct.unpack(">H", header[4:6])[0] - 1)


def input_registers(address: str, count: int) -> tuple[int, ...]:
    """Return a unit's first input registers."""
    return struct.unpack(f">{count}H", modbus(address, 4, 0, count)[2:])
