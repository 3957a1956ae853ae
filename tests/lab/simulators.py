"""The simulated equipment, put on its host's disk as systemd services: BMCs, PDUs, cooling units, an InfiniBand fabric."""

from __future__ import annotations

import json
import secrets
import shutil
import uuid
from pathlib import Path
from typing import Any

from tests.lab import fabric, network
from tests.lab.lab import Lab
from tests.lab.processes import run
from tests.lab.sims.redfish import model
from tests.lab.topology import Host

SIMS = Path(__file__).parent / "sims"
TERMS = "etc/lab/devices.json"
CODE = "opt/lab"


def make_secrets(lab: Lab) -> None:
    """Make the devices' password, and a certificate for the BMCs that an authority of the lab's own has signed."""
    if not lab.password_file.exists():
        lab.password_file.touch(mode=0o600)
        lab.password_file.write_text(secrets.token_urlsafe(12), encoding="utf-8")
    authority, certificate = lab.folder / "ca.pem", lab.folder / "bmc.pem"
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", 30)
    if not authority.exists():
        run(
            "openssl",
            "req",
            "-x509",
            *key,
            "-subj",
            f"/CN={lab.name}",
            "-keyout",
            lab.folder / "ca.key",
            "-out",
            authority,
        )
    if not certificate.exists():
        names = ",".join(f"IP:{lab.addresses.bmc(host)},DNS:{host.name}-bmc" for host in lab.topology.hosts if host.bmc)
        signed = ("-CA", authority, "-CAkey", lab.folder / "ca.key", "-addext", f"subjectAltName={names}")
        kept = ("-keyout", lab.folder / "bmc.key", "-out", certificate)
        run("openssl", "req", "-x509", *key, "-subj", f"/CN={lab.name}-bmc", *signed, *kept)


def install(lab: Lab, root: Path) -> None:
    """Put the simulators that the topology names on a disk, to be started by its systemd."""
    shutil.copytree(SIMS, root / CODE / "tests/lab/sims", ignore=shutil.ignore_patterns("__pycache__"))
    terms = root / TERMS
    terms.parent.mkdir()
    terms.touch(mode=0o600)
    terms.write_text(json.dumps(_terms(lab), indent=1), encoding="utf-8")
    for name in ("bmc.pem", "bmc.key"):
        shutil.copy(lab.folder / name, terms.parent)
    units = _units(lab, root)
    system = root / "etc/systemd/system"
    for name, text in units.items():
        (system / name).write_text(text, encoding="utf-8")
        wanted = system / ("sockets.target.wants" if name.endswith(".socket") else "multi-user.target.wants")
        wanted.mkdir(exist_ok=True)
        (wanted / name).symlink_to(f"/etc/systemd/system/{name}")


def serial(lab: Lab, host: Host) -> str:
    """Return the serial number that a host's BMC reports. Its text says that it is not a real one."""
    return f"SIM-{lab.name}-{host.name}".upper()


def system_uuid(lab: Lab, host: Host) -> str:
    """Return the UUID that a host's BMC reports."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{host.name}.{lab.name}.invalid"))


def _terms(lab: Lab) -> dict[str, Any]:
    addresses, topology = lab.addresses, lab.topology
    return {
        "password": lab.password_file.read_text(encoding="utf-8"),
        "bmcs": [_bmc(lab, host) for host in topology.hosts if host.bmc],
        "pdus": [
            {"name": pdu.name, "address": str(addresses.of(pdu.number)), "outlets": pdu.outlets}
            for pdu in topology.pdus
        ],
        "cooling": [{"name": unit.name, "address": str(addresses.of(unit.number))} for unit in topology.cooling],
    }


def _bmc(lab: Lab, host: Host) -> dict[str, Any]:
    ports = ["eth0", *(link.port for link in lab.topology.links if link.host == host.name)]
    return {
        "host": host.name,
        "address": str(lab.addresses.bmc(host)),
        "host_address": str(lab.addresses.of(host.number)),
        "mac": network.mac(lab, host, "bmc"),
        "serial": serial(lab, host),
        "uuid": system_uuid(lab, host),
        **({"firmware": model.SWITCH_FIRMWARE} if host.role == "switch" else {}),
        "ports": {port: network.mac(lab, host, port) for port in ports},
    }


def _units(lab: Lab, root: Path) -> dict[str, str]:
    topology = lab.topology
    units = {}
    if any(host.bmc for host in topology.hosts):
        units["lab-bmc.service"] = _service("Simulated BMCs (Redfish)", "python3 -m tests.lab.sims.redfish /" + TERMS)
    for pdu in topology.pdus:
        units[f"lab-{pdu.name}.service"] = _pdu_service(lab, root, pdu.name, str(lab.addresses.of(pdu.number)))
    if topology.cooling:
        units["lab-cooling.service"] = _service(
            "Simulated cooling (Modbus TCP)", "python3 -m tests.lab.sims.cooling /" + TERMS
        )
    if topology.infiniband:
        units |= fabric.install(lab, topology.infiniband, root)
    return units


def _pdu_service(lab: Lab, root: Path, name: str, address: str) -> str:
    """Return the service of a PDU: net-snmp's own agent, which asks a program for the vendor's part of the tree."""
    password = lab.password_file.read_text(encoding="utf-8")
    settings = root / f"etc/lab/{name}.conf"
    settings.touch(mode=0o600)
    settings.write_text(
        f"""\
agentaddress udp:{address}:161
rocommunity public
rwcommunity {password}
sysName {name}
sysDescr Simulated PDU of the lab
pass_persist .1.3.6.1.4.1.318 /usr/bin/env PYTHONPATH=/{CODE} python3 -m tests.lab.sims.pdu /{TERMS} {name}
""",
        encoding="utf-8",
    )
    # several agents on one host: no shared SMUX port, and none of the agent's own MIB texts
    command = f"snmpd -f -Lo -I -smux -C -c /etc/lab/{name}.conf"
    settled = f"Environment=SNMP_PERSISTENT_DIR=/var/lib/lab/{name} MIBS="
    return _service(f"Simulated PDU {name} (SNMP)", command, settled)


def _service(title: str, command: str, *more: str) -> str:
    extra = "".join(f"{line}\n" for line in more)
    return f"""\
[Unit]
Description={title}

[Service]
ExecStart=/usr/bin/env {command}
WorkingDirectory=/{CODE}
StateDirectory=lab
Environment=PYTHONUNBUFFERED=1
Restart=always
RestartSec=1
{extra}
[Install]
WantedBy=multi-user.target
"""
