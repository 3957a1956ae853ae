"""`clusterwright init`: a commented site file that can be planned as it stands."""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from typing import Annotated

import typer

from steps.errors import InputError

LAB = "lab"


def init(
    folder: Annotated[Path, typer.Argument(help="Where the site's folder is made.")],
    preset: Annotated[str, typer.Option(help="What kind of cluster.")] = "superpod-1su",
    start: Annotated[str | None, typer.Option(help="The first day, 2026-11-23; today if not given.")] = None,
    inventory: Annotated[
        Path | None,
        typer.Option(help="An Ansible inventory to copy beside site.yaml; for `lab` that of the lab that is up."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a site.yaml that is there.")] = False,
) -> None:
    """Write a commented site.yaml for a preset, and an inventory where there is a host to name."""
    from datetime import UTC, date, datetime

    from clusterwright.output import say
    from clusterwright.site_template import site_text
    from steps.catalog.loader import read_roles
    from steps.design.preset import read_preset
    from steps.design.site import site_slug

    chosen = read_preset(preset)
    if start is not None:
        try:
            first = date.fromisoformat(start)
        except ValueError:
            raise InputError(f"{start!r} is not a date", hint="write 2026-11-23") from None
    else:
        first = datetime.now(UTC).date()
    path = folder / "site.yaml"
    if path.exists() and not force:
        raise InputError(f"{path} is already there", hint="--force overwrites it")
    hosts = _inventory_text(chosen.name, inventory)
    folder.mkdir(parents=True, exist_ok=True)
    signing = [slug for slug, role in read_roles().items() if role["signs"]]
    crews = [slug for slug, role in read_roles().items() if not role["signs"]]
    account = getpass.getuser()
    text = site_text(
        chosen,
        name=site_slug(folder.resolve().name),
        start=first,
        account=account,
        signing=signing,
        working=crews,
        has_inventory=hosts is not None,
    )
    path.write_text(text, encoding="utf-8")
    if hosts is not None:
        (folder / "inventory").mkdir(exist_ok=True)
        (folder / "inventory" / "hosts.yml").write_text(hosts, encoding="utf-8")
    elif chosen.name == LAB:
        say(f"no lab is up, so the site has no hosts: `make lab-up`, then `init --preset {LAB} --force {folder}`")
    say(f"wrote {path}; read it through, then `clusterwright plan --site {folder}`")


def lab_inventory() -> Path:
    """Give where `make lab-up` leaves the inventory of its hosts."""
    home = os.environ.get("LAB_HOME", "/var/lib/clusterwright-lab")
    return Path(home) / "run" / "cwlab" / "inventory" / "hosts.yml"


def _inventory_text(preset: str, given: Path | None) -> str | None:
    """Give the inventory that a new site begins with, None if it has no hosts yet."""
    from clusterwright.site_template import inventory_text

    if given is not None:
        if not given.is_file():
            raise InputError(f"there is no inventory file {given}", hint="name a file that Ansible can read")
        return given.read_text(encoding="utf-8")
    if preset == LAB and lab_inventory().is_file():
        return lab_inventory().read_text(encoding="utf-8")
    return inventory_text() if preset == "localhost" else None
