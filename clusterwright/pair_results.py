"""Reading what tests between pairs and groups of servers measured, from tables."""

from pathlib import Path

from ledger.evidence.store import content_of
from schedule.errors import InputError, Place
from steps.cabling.table import lines_of
from steps.pairs.halving import Group
from steps.pairs.paths import PairTest, Paths
from steps.value import bounded_number

ANSWERS = {"yes": True, "no": False}


def read_results(path: Path, paths: Paths) -> list[PairTest]:
    """Return the results of a table. Each names links that are drawn, and a number above zero."""
    found = []
    for line, cells in lines_of(content_of(path, str(path)), str(path), ("a", "b", "value")):
        place = Place(str(path), line)
        value = bounded_number(cells["value"])
        if value is None or value <= 0:
            raise InputError(f"{cells['value']!r} is no measurement", hint="write a number above zero", place=place)
        result = PairTest(cells["a"], cells["b"], cells.get("rail", ""), float(value), cells.get("via", ""))
        try:
            paths.parts(result)
        except InputError as error:
            raise InputError(error.what, hint="names are those of the schedule, or of --names", place=place) from None
        found.append(result)
    if not found:
        raise InputError("it has no result", place=Place(str(path)))
    return found


def read_runs(path: Path) -> tuple[list[str], dict[Group, bool]]:
    """Return the servers of the first group in their order, and whether each group was slow."""
    groups: dict[Group, bool] = {}
    order: list[str] = []
    for line, cells in lines_of(content_of(path, str(path)), str(path), ("slow", "servers")):
        place, servers = Place(str(path), line), cells["servers"].split()
        if cells["slow"].lower() not in ANSWERS:
            raise InputError(f"{cells['slow']!r} is neither yes nor no", place=place)
        order = order or servers
        if not servers or (strangers := set(servers) - set(order)):
            raise InputError(
                f"{', '.join(sorted(strangers)) if servers else 'nobody'} is not in the first group", place=place
            )
        groups[frozenset(servers)] = ANSWERS[cells["slow"].lower()]
    if not order:
        raise InputError("it has no group", place=Place(str(path)))
    return order, groups
