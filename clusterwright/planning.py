"""From a site's folder to a plan: the one place where files become what the planner takes."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from pathlib import Path

from clusterwright import __version__
from clusterwright.hosts import hosts_of
from steps.catalog.loader import Catalog, read_catalog, read_roles, shipped_folder
from steps.design.design import Design, design_of
from steps.design.site import Site, read_site
from steps.schedule.plan import Plan
from steps.schedule.planner import Surroundings, make_plan


def playbooks_folder() -> Path:
    """Give the folder of the playbooks that come along."""
    return Path(str(files("playbooks")))


def rooms() -> tuple[Path, ...]:
    """Return the folders of the program's own source."""
    return tuple(Path(str(files(room))) for room in ("steps", "ledger", "flows", "tui", "clusterwright"))


def read_all(folder: Path) -> tuple[Site, Design, Catalog, dict[str, dict[str, object]]]:
    """Give a site's file, design, catalog and roles, all checked."""
    roles = read_roles(folder)
    site = read_site(folder, {slug: str(role["title"]) for slug, role in roles.items()})
    return site, design_of(site, folder), read_catalog(folder), roles


def plan_of(folder: Path) -> Plan:
    """Give the plan that a site's folder makes now."""
    site, design, catalog, roles = read_all(folder)
    around = Surroundings(
        roles={slug: str(role["title"]) for slug, role in roles.items()},
        hosts=hosts_of(folder, site, design, catalog, playbooks_folder()),
        digests={
            "site": _digest([folder / "site.yaml"], folder),
            "catalog": _digest([e.path for e in catalog.values()], shipped_folder()),
            "playbooks": _digest(sorted(playbooks_folder().rglob("*.yml")), playbooks_folder()),
            "version": __version__,
        },
    )
    return make_plan(site, design, catalog, around)


def _digest(paths: list[Path], root: Path) -> str:
    """Give one SHA-256 over names and contents, in order of the names."""
    total = hashlib.sha256()
    for path in sorted(paths):
        name = path.relative_to(root) if path.is_relative_to(root) else path.name
        total.update(f"{name}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
