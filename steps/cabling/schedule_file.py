"""Reads a cable schedule as `design --csv` writes it, and the names that devices have on site.

Of the schedule the columns `cable`, `a_device`, `a_port`, `b_device` and `b_port` are needed; `a_rack`, `b_rack`, `tier`, `rail` and
`gbit` are used where they are there. The names are a table of `drawn`, `device` and `ports`: a device of the schedule, its name on
site, and the names of its ports, either in the order of their numbers or as a pattern (`swp{}`). A star stands for any characters
of the drawn name; such a row names ports only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from schedule.errors import InputError, Place
from steps.cabling.cable import Cable, CableEnd
from steps.cabling.table import lines_of
from steps.value import bounded_number

NEEDED = ("cable", "a_device", "a_port", "b_device", "b_port")
NAMED = ("drawn", "device", "ports")


class SiteNames(NamedTuple):
    """How a device of the schedule, and its ports, are called on site."""

    drawn: str
    device: str
    ports: tuple[str, ...]


def read_schedule(content: bytes, name: str) -> list[Cable]:
    """Return the cables of a schedule. No port may have two, and no name."""
    cables: list[Cable] = []
    used: dict[object, int] = {}
    for line, cells in lines_of(content, name, NEEDED):
        ends = CableEnd(cells["a_device"], cells["a_port"]), CableEnd(cells["b_device"], cells["b_port"])
        for what in (cells["cable"], *ends):
            if what in used:
                raise InputError(f"{what} is also on line {used[what]}", place=Place(name, line))
            used[what] = line
        cables.append(
            Cable(
                cells["cable"],
                *ends,
                a_rack=cells.get("a_rack", ""),
                b_rack=cells.get("b_rack", ""),
                tier=cells.get("tier", ""),
                rail=cells.get("rail", ""),
                gbit=_gbit(cells.get("gbit", ""), Place(name, line, "gbit")),
            )
        )
    if not cables:
        raise InputError("the schedule has no cable", place=Place(name))
    return cables


def read_names(content: bytes, name: str) -> list[SiteNames]:
    """Return the names of a file."""
    found = []
    for line, cells in lines_of(content, name, NAMED):
        ports = tuple(cells["ports"].split())
        if "{}" in cells["ports"] and len(ports) > 1:
            raise InputError("a pattern of ports stands alone", hint="write swp{}", place=Place(name, line, "ports"))
        found.append(SiteNames(cells["drawn"], cells["device"], ports))
    return found


def named(cables: Iterable[Cable], names: Sequence[SiteNames]) -> list[Cable]:
    """Return cables whose ends have the names that they have on site."""
    exact = {row.drawn: row for row in names if "*" not in row.drawn}
    patterns = [row for row in names if "*" in row.drawn]

    def on_site(end: CableEnd) -> CableEnd:
        rows = [exact[end.device]] if end.device in exact else []
        rows += [row for row in patterns if fnmatchcase(end.device, row.drawn)]
        device = rows[0].device if rows and rows[0].device and "*" not in rows[0].drawn else end.device
        ports = next((row.ports for row in rows if row.ports), ())
        return CableEnd(device, _port(end.port, ports))

    return [cable._replace(a=on_site(cable.a), b=on_site(cable.b)) for cable in cables]


def _port(port: str, names: tuple[str, ...]) -> str:
    if not port.isdecimal():  # a management port, which is no number
        return port
    if len(names) == 1 and "{}" in names[0]:
        return names[0].replace("{}", port)
    return names[int(port) - 1] if 0 < int(port) <= len(names) else port


def _gbit(text: str, place: Place) -> float | None:
    if not text:
        return None
    number = bounded_number(text)
    if number is None or number <= 0:
        raise InputError(f"{text!r} is no rate in Gbit/s", place=place)
    return float(number)
