"""From a site's folder to a plan: the one place where files become what the planner takes."""

import gc
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from math import ceil
from pathlib import Path

from clusterwright import __version__
from clusterwright.hosts import hosts_of
from clusterwright.matching import serials_of, serials_on_record
from clusterwright.output import say
from flows.runs.process.place import playbooks_folder
from ledger.questions.snapshot import Snapshot
from schedule.errors import InputError, Place
from schedule.machine_code import is_kept
from steps.catalog.lint.placing import formulas_placed
from steps.catalog.loader import Catalog, approval_hours, read_catalog, read_roles, shipped_folder
from steps.catalog.terms import Scope
from steps.design.design import Design, design_of
from steps.design.scenario import scenario_path, under_scenario
from steps.design.site import FILE, Site, read_site
from steps.planning.dates.dating import SolvedPlan
from steps.planning.plan import Plan
from steps.planning.planner import Surroundings, solved_plan

MOST_PODS = 320
"""The most pods of a plan: with so many, adopting it takes a gigabyte of memory."""
MANY_PODS = 120
"""With so many the dates take about two seconds."""


def rooms() -> tuple[Path, ...]:
    """Return the folders of the program's own source."""
    names = ("schedule", "steps", "ledger", "flows", "tui", "clusterwright")
    return tuple(Path(str(files(name))) for name in names)


def site_at(folder: Path, scenario: str | None = None) -> Site:
    """Return the checked site file of a folder, under a scenario: the one of this name, otherwise the one that the file names."""
    roles = read_roles(folder)
    site = read_site(folder, roles)
    name = scenario or site.scenario
    return site if name is None else under_scenario(site, name, folder, roles)


def site_without_scenario(folder: Path) -> Site:
    """Return the checked site file of a folder as it is, whatever scenario it names."""
    return read_site(folder, read_roles(folder)).model_copy(update={"scenario": None})


def read_all(folder: Path) -> tuple[Site, Design, Catalog]:
    """Return a site's file, its design and its catalog, all checked."""
    site = site_at(folder)
    return site, design_of(site, folder), read_catalog(folder)


def plan_of(folder: Path, snapshot: Snapshot | None = None, *, site: Site | None = None) -> Plan:
    """Return the plan that a site's folder makes now, or would make with another site file.

    The serial numbers on record come from a snapshot that is open.
    """
    return solved_plan_of(folder, snapshot, site=site).plan


def solved_plan_of(folder: Path, snapshot: Snapshot | None = None, *, site: Site | None = None) -> SolvedPlan:
    """Return the plan of `plan_of`, and the solution that its dates come from."""
    site = site or site_at(folder)
    design, catalog, roles = design_of(site, folder), read_catalog(folder), read_roles(folder)
    pods = sum(unit.kind is Scope.POD for unit in design.units)
    _refuse_too_large(folder, design, pods)
    serials = serials_on_record(folder) if snapshot is None else serials_of(snapshot)
    say_if_code_is_made()
    if pods >= MANY_PODS:
        say(f"working out the dates of {pods} pods")
    scenario = [scenario_path(site.scenario, folder)] if site.scenario else []
    with formulas_placed(catalog), _without_collecting():
        around = Surroundings(
            roles={slug: role.title for slug, role in roles.items()},
            approvals=approval_hours(roles),
            hosts=hosts_of(folder, site, design, catalog, playbooks_folder(), serials),
            digests={
                "site": _digest([folder / FILE, *scenario], folder),
                "catalog": _digest([e.path for e in catalog.values()], shipped_folder()),
                "playbooks": _digest(sorted(playbooks_folder().rglob("*.yml")), playbooks_folder()),
                "version": __version__,
            },
        )
        return solved_plan(site, design, catalog, around)


def say_if_code_is_made() -> None:
    """Say why the first plan, or the first levelled schedule, takes longer on a machine."""
    if not is_kept():
        say("making the machine code of the schedule's engines, once on this machine: about a minute")


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Look for no garbage meanwhile, nor later among what was made: a large plan is a million objects that stay."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _refuse_too_large(folder: Path, design: Design, pods: int) -> None:
    """Raise for more pods than a plan holds. Each pod has as many activities, whatever its size."""
    if pods > MOST_PODS:
        nodes = int(design.figures["nodes"])
        raise InputError(
            f"{nodes:,} servers are in {pods:,} pods; a plan holds at most {MOST_PODS:,}",
            hint=f"write nodes_per_pod: {ceil(nodes / MOST_PODS)} or more under overrides",
            place=Place(str(folder / FILE), None, "overrides.nodes_per_pod"),
        )


def _digest(paths: list[Path], root: Path) -> str:
    """Return one SHA-256 over names and contents, in order of the names."""
    total = hashlib.sha256()
    for path in sorted(paths):
        name = path.relative_to(root) if path.is_relative_to(root) else path.name
        total.update(f"{name}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
