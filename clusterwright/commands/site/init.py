"""Write a commented site.yaml for a new site.

Nothing else is made: read the file, change what is different at your site, look at `clusterwright plan`, then put it in force with
`clusterwright plan adopt`. The design is that of a preset, as superpod-1su; one that does not exist is answered with all names. In a
terminal, without --preset, it asks what the site is, and says what its first plan comes to. An inventory is made where there is a host
to name. With --preset localhost the site is this machine: `init` looks at its parts and writes them down.

Example:
    clusterwright init my-site
    clusterwright init my-site --preset h100-10k --start 2027-01-04

"""

import os
import sys
from datetime import date, timedelta
from pathlib import Path
from shlex import quote
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated
from zoneinfo import ZoneInfo

from typer import Argument, Option

from clusterwright.commands.options import day_option
from clusterwright.first_answers import ZONE, Answers, asked, next_working_day
from clusterwright.output import say
from clusterwright.planning import plan_of, site_at, solved_plan_of
from clusterwright.site_template import inventory_text, write_site
from clusterwright.text_file import text_in
from clusterwright.this_machine import this_machine
from flows.runs.allowing.asked import all_asked
from flows.runs.allowing.kept import keep_allowed
from flows.runs.bundle.tree import VARIABLES
from flows.runs.inventory.sources import site_in
from ledger.project_time import project_now
from schedule.errors import InputError
from steps.design.people_file import people_in
from steps.design.preset import read_preset
from steps.design.site import FILE
from steps.planning.checks.approvers import unsignable_lines
from steps.planning.plan import Plan

LAB = "lab"
ONE_MACHINE = "localhost"
USUAL = "superpod-1su"


def init(
    folder: Annotated[Path, Argument(help="Where the site's folder is made.")],
    preset: Annotated[
        str | None, Option(help=f"What kind of cluster; {USUAL} if not given, or asked for in a terminal.")
    ] = None,
    start: Annotated[date | None, day_option("The first day; the next working day if not given.")] = None,
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
    if people is not None:
        people_in(people)
    if is_dialogue:
        answers = asked(USUAL, start)
    else:
        answers = Answers(read_preset(preset or USUAL), start or next_working_day(ZONE), people=people)
    chosen = answers.preset
    if chosen.name == ONE_MACHINE:
        answers = _on_this_machine(answers, start)
    hosts = _inventory_text(chosen.name, inventory)
    is_ours = inventory is None and not (folder / "inventory").exists()
    write_site(folder, answers, hosts)
    if hosts is not None and is_ours:  # an inventory of others is for a person to allow
        keep_allowed(folder, [one.digest for one in all_asked(folder, site_in(folder))])
    if hosts is not None:
        for left in _variables_beside(inventory):
            say(
                f"{left} was not copied: copy it into {folder / 'inventory'}, or name your inventory's own place in site.yaml"
            )
    elif chosen.name == LAB:
        say(f"no lab is up, so the site has no hosts: `make lab-up`, then `init --preset {LAB} --force {folder}`")
    say(f"wrote {path}; read it through, then `clusterwright plan --site {quote(str(folder))}`")
    if is_dialogue:
        _say_first_plan(folder)
    elif people is not None:
        _say_unsignable(plan_of(folder))


def _on_this_machine(answers: Answers, start: date | None) -> Answers:
    """Return the answers with what this machine is. Without a start it begins at the next full hour, so that nothing is late at once."""
    machine, begins = this_machine(), project_now().astimezone(ZoneInfo(ZONE)) + timedelta(hours=1)
    say(f"this machine: {machine}")
    answers = answers._replace(machine=machine)
    return answers if start else answers._replace(start=begins.date(), start_hour=begins.hour)


def _say_first_plan(folder: Path) -> None:
    """Say in words what the plan of a new site comes to."""
    made, crewed = solved_plan_of(folder)
    from clusterwright.plan_in_words import plan_in_words  # with the samplers
    from steps.planning.odds.commitment import commitment_of
    from steps.planning.odds.plan_odds import odds_of

    for line in plan_in_words(made, commitment_of(made, odds_of(made, crewed), site_at(folder).commit_to)):
        print(f"\n{fill(line, get_terminal_size().columns)}")
    _say_unsignable(made)


def _say_unsignable(made: Plan) -> None:
    """Say which sign-offs nobody of a new site's people can give."""
    for line in unsignable_lines(made):
        say(f"! {line}")


def _inventory_text(preset: str, given: Path | None) -> str | None:
    """Return the inventory that a new site begins with, None if it has no hosts yet."""
    if given is not None:
        if not given.is_file():
            raise InputError(f"there is no inventory file {given}", hint="name a file that Ansible can read")
        return text_in(given)
    if preset == LAB and lab_inventory().is_file():
        return lab_inventory().read_text(encoding="utf-8")
    return inventory_text() if preset == ONE_MACHINE else None


def _variables_beside(inventory: Path | None) -> list[Path]:
    """Return the folders of variables beside an inventory. They may hold vaults, which a person copies as they see fit."""
    beside = () if inventory is None else (inventory.parent / name for name in VARIABLES)
    return [path for path in beside if path.exists()]


def lab_inventory() -> Path:
    """Return where `make lab-up` leaves the inventory of its hosts."""
    home = os.environ.get("LAB_HOME", "/var/lib/clusterwright-lab")
    return Path(home) / "run" / "cwlab" / "inventory" / "hosts.yml"
