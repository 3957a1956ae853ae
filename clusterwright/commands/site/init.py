"""Write a commented site.yaml for a new site.

It takes the design of a preset, and an inventory where there is a host to name. In a terminal, without --preset, it asks what the
site is, and says what its first plan comes to.

Example:
    clusterwright init my-site
    clusterwright init my-site --preset h100-10k --start 2027-01-04

"""

import os
import sys
from datetime import date
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.options import day_option
from clusterwright.first_answers import Answers, asked
from clusterwright.output import say
from clusterwright.planning import plan_of
from clusterwright.site_template import inventory_text, write_site
from clusterwright.text_file import text_in
from flows.ansible.tree import VARIABLES
from ledger.project_time import project_now
from steps.design.people_file import people_in
from steps.design.preset import read_preset
from steps.design.site import FILE
from steps.errors import InputError

LAB = "lab"
USUAL = "superpod-1su"


def init(
    folder: Annotated[Path, Argument(help="Where the site's folder is made.")],
    preset: Annotated[
        str | None, Option(help=f"What kind of cluster; {USUAL} if not given, or asked for in a terminal.")
    ] = None,
    start: Annotated[date | None, day_option("The first day; today if not given.")] = None,
    inventory: Annotated[
        Path | None,
        Option(help="An Ansible inventory to copy beside site.yaml; for `lab` that of the lab that is up."),
    ] = None,
    people: Annotated[
        Path | None,
        Option(help="A CSV file of people to copy beside site.yaml: id, name, roles, organisation, account, ssh_key."),
    ] = None,
    force: Annotated[bool, Option("--force", help="Overwrite a site.yaml that is there.")] = False,
) -> None:
    path = folder / FILE
    if path.exists() and not force:
        raise InputError(f"{path} is already there", hint="--force overwrites it")
    is_dialogue = preset is None and sys.stdin.isatty() and sys.stdout.isatty()
    first = start or project_now().date()
    if people is not None:
        people_in(people)
    answers = asked(USUAL, first) if is_dialogue else Answers(read_preset(preset or USUAL), first, people=people)
    chosen = answers.preset
    hosts = _inventory_text(chosen.name, inventory)
    write_site(folder, answers, hosts)
    if hosts is not None:
        for left in _variables_beside(inventory):
            say(
                f"{left} was not copied: copy it into {folder / 'inventory'}, or name your inventory's own place in site.yaml"
            )
    elif chosen.name == LAB:
        say(f"no lab is up, so the site has no hosts: `make lab-up`, then `init --preset {LAB} --force {folder}`")
    say(f"wrote {path}; read it through, then `clusterwright plan --site {folder}`")
    if is_dialogue:
        _say_first_plan(folder)


def _say_first_plan(folder: Path) -> None:
    """Say in words what the plan of a new site comes to."""
    made = plan_of(folder)
    from clusterwright.plan_in_words import plan_in_words  # with the samplers
    from steps.schedule.plan_odds import odds_of

    for line in plan_in_words(made, odds_of(made)):
        print(f"\n{fill(line, get_terminal_size().columns)}")


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
