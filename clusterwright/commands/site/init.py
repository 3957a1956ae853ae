"""Write a commented site.yaml for a new site.

It takes the design of a preset, and an inventory where there is a host to name.

Example:
    clusterwright init my-site --preset h100-10k --start 2027-01-04

"""

import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.options import day_option
from clusterwright.output import say
from clusterwright.site_template import inventory_text, site_text
from clusterwright.text_file import text_in
from flows.ansible.tree import VARIABLES
from ledger.account import machine_account
from steps.catalog.loader import read_roles
from steps.design.preset import read_preset
from steps.design.site import site_slug
from steps.errors import InputError

LAB = "lab"


def init(
    folder: Annotated[Path, Argument(help="Where the site's folder is made.")],
    preset: Annotated[str, Option(help="What kind of cluster.")] = "superpod-1su",
    start: Annotated[date | None, day_option("The first day; today if not given.")] = None,
    inventory: Annotated[
        Path | None,
        Option(help="An Ansible inventory to copy beside site.yaml; for `lab` that of the lab that is up."),
    ] = None,
    force: Annotated[bool, Option("--force", help="Overwrite a site.yaml that is there.")] = False,
) -> None:
    chosen = read_preset(preset)
    path = folder / "site.yaml"
    if path.exists() and not force:
        raise InputError(f"{path} is already there", hint="--force overwrites it")
    hosts = _inventory_text(chosen.name, inventory)
    folder.mkdir(parents=True, exist_ok=True)
    roles = read_roles()
    text = site_text(
        chosen,
        name=site_slug(folder.resolve().name),
        start=start or datetime.now(UTC).date(),
        account=machine_account(),
        signing=[slug for slug, role in roles.items() if role["signs"]],
        working=[slug for slug, role in roles.items() if not role["signs"]],
        has_inventory=hosts is not None,
    )
    path.write_text(text, encoding="utf-8")
    if hosts is not None:
        (folder / "inventory").mkdir(exist_ok=True)
        (folder / "inventory" / "hosts.yml").write_text(hosts, encoding="utf-8")
        for left in _variables_beside(inventory):
            say(
                f"{left} was not copied: copy it into {folder / 'inventory'}, or name your inventory's own place in site.yaml"
            )
    elif chosen.name == LAB:
        say(f"no lab is up, so the site has no hosts: `make lab-up`, then `init --preset {LAB} --force {folder}`")
    say(f"wrote {path}; read it through, then `clusterwright plan --site {folder}`")


def _inventory_text(preset: str, given: Path | None) -> str | None:
    """Return the inventory that a new site begins with, None if it has no hosts yet."""
    if given is not None:
        if not given.is_file():
            raise InputError(f"there is no inventory file {given}", hint="name a file that Ansible can read")
        return text_in(given)
    if preset == LAB and lab_inventory().is_file():
        return lab_inventory().read_text(encoding="utf-8")
    return inventory_text() if preset == "localhost" else None


def _variables_beside(inventory: Path | None) -> list[Path]:
    """Return the folders of variables beside an inventory. They may hold vaults, which a person copies as they see fit."""
    beside = () if inventory is None else (inventory.parent / name for name in VARIABLES)
    return [path for path in beside if path.exists()]


def lab_inventory() -> Path:
    """Return where `make lab-up` leaves the inventory of its hosts."""
    home = os.environ.get("LAB_HOME", "/var/lib/clusterwright-lab")
    return Path(home) / "run" / "cwlab" / "inventory" / "hosts.yml"
