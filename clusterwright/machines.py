"""The servers that a site expects, as NVIDIA Infra Controller takes them: serial numbers of positions, and the controllers in lists."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from clusterwright.matching import matching_of, serials_on_record
from clusterwright.output import Document
from clusterwright.planning import read_all
from ledger.evidence.store import content_of
from ledger.questions.orders import serials_received
from ledger.reading import open_snapshot
from ledger.stores.following import has_ledger
from schedule.csv_lines import numbered_rows
from schedule.errors import InputError, Place
from schedule.text import plain_cell
from steps.design.design import Design
from steps.design.nodes import planned_nodes
from steps.design.positions import drawing_of
from steps.design.site import Site

SERIAL, MACS, ACCOUNT = "serial_number", "mac_addresses", ("bmc_username", "bmc_password")
"""Columns of a list of controllers. Those of the account may be missing."""

MAC = re.compile(r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}")


class Server(NamedTuple):
    """A planned server: its name in the inventory or else in the design, its pod, and the serial number that is expected there."""

    name: str
    planned: str
    pod: str
    serial: str | None


class Controller(NamedTuple):
    """A controller in a list: its MAC address, and its account as it left the factory, where the list has that."""

    mac: str
    username: str
    password: str


class Expected(NamedTuple):
    """The machines, the servers that are left out with the reason, and the serial numbers among the machines that no delivery had."""

    machines: list[Document]
    left_out: list[tuple[str, str]]
    not_received: list[str]


def expected_machines(folder: Path, lists: Sequence[Path]) -> Expected:
    """Return the servers that a site expects. One without a serial number, or whose controller is in no list, is left out."""
    controllers = _controllers(lists)
    site, design, _ = read_all(folder)
    racks, received = _racks(design), _received(folder)
    expected = Expected([], [], [])
    for server in _servers(folder, site, design):
        found = controllers.get((server.serial or "").casefold())
        if not server.serial or found is None:
            why = f"no list has {server.serial}" if server.serial else "no serial number is known at its position"
            expected.left_out.append((server.name, why))
            continue
        if server.serial.casefold() not in received:
            expected.not_received.append(server.serial)
        places = {"pod": server.pod, "rack": racks.get(server.planned)}
        labels = [{"key": key, "value": value} for key, value in places.items() if value]
        expected.machines.append(
            {
                "bmc_mac_address": found.mac,
                "bmc_username": found.username,
                "bmc_password": found.password,
                "chassis_serial_number": server.serial,
                "metadata": {"name": server.name, "description": "", "labels": labels},
            }
        )
    return expected


def _servers(folder: Path, site: Site, design: Design) -> Iterator[Server]:
    """Yield planned servers. What the inventory states of a server is newer than the record: a replaced one is expected before it is read."""
    serials = serials_on_record(folder)
    pairs = matching_of(folder, site.inventory, design, serials).pairs if site.inventory else ()
    hosts = {pair.node.name: pair.host for pair in pairs}
    for node in planned_nodes(design, serials):
        host = hosts.get(node.name)
        if host is None:
            yield Server(node.name, node.name, node.pod, node.serial)
        else:
            yield Server(host.name, node.name, node.pod, host.serial or serials.get(host.name) or node.serial)


def _racks(design: Design) -> dict[str, str]:
    """Return the rack of each planned server, by the cable schedule."""
    drawing = drawing_of(design.figures, design.choices)
    rows = drawing.fabric.rows() if drawing else ()
    return {str(device): str(rack) for _, tier, _, device, _, rack, *_ in rows if tier == "node-leaf"}


def _received(folder: Path) -> frozenset[str]:
    if not has_ledger(folder):
        return frozenset()
    with open_snapshot(folder) as snapshot:
        return frozenset(serials_received(snapshot))


def _controllers(lists: Sequence[Path]) -> dict[str, Controller]:
    """Return controllers by the serial number of their server, in lower case. Raise for one that is listed twice, or has no MAC address."""
    found: dict[str, Controller] = {}
    macs: set[str] = set()
    for path in lists:
        (_, header), *rows = numbered_rows(content_of(path, str(path)), str(path)) or [(1, [])]
        columns = [cell.strip().casefold() for cell in header]
        if missing := [name for name in (SERIAL, MACS) if name not in columns]:
            raise InputError(f"{path} has no column {' and no '.join(missing)}", place=Place(str(path), 1))
        for line, row in rows:
            cells = {name: plain_cell(cell).strip() for name, cell in zip(columns, row, strict=False)}
            if not any(cells.values()):
                continue
            serial, mac = cells.get(SERIAL, ""), (cells.get(MACS, "").split() or [""])[0]
            if not MAC.fullmatch(mac):
                raise InputError(f"{mac!r} is no MAC address", place=Place(str(path), line, MACS))
            if serial.casefold() in found or mac.casefold() in macs:
                raise InputError(f"{serial} or {mac} is listed twice", place=Place(str(path), line))
            macs.add(mac.casefold())
            found[serial.casefold()] = Controller(mac, *(cells.get(name, "") for name in ACCOUNT))
    return found
