"""Read and check the steps and the hold points.

Example:
    clusterwright catalog list --phase power
    clusterwright catalog show 034

"""

from typing import Annotated

from typer import Argument, Option

from clusterwright.catalog_view import entry_document, print_entry
from clusterwright.commands.asking import Asking
from clusterwright.commands.options import PhaseOption
from clusterwright.naming import require_phase
from clusterwright.output import Cells, Document, clean, print_json
from clusterwright.where import site_if_any
from steps.catalog.loader import Entry, read_catalog, read_roles, require, shipped_folder

KEYS = "id title phase kind scope applies supplies links duration crew sign_off completed_by alternatives sources"


def list_(ask: Asking, phase: PhaseOption = None) -> None:
    """List every step of the catalog.

    Example:
        clusterwright catalog list --phase power

    """
    require_phase(phase)
    catalog = read_catalog(site_if_any(ask.site))
    steps = [entry for entry in catalog.values() if phase in {None, entry.step.phase}]
    headers = ("step", "title", "phase", "kind", "scope", "playbook")
    ask.table(None, steps, headers, _step_cells, document=lambda: [*map(_document, steps)])


def _step_cells(entry: Entry) -> Cells:
    step = entry.step
    return (step.id, step.title, step.phase, step.kind, step.scope, ", ".join(step.playbooks))


def _document(entry: Entry) -> Document:
    step = entry.step.model_dump(mode="json", exclude_none=True)
    same = {name: step[name] for name in KEYS.split()}
    return same | {"criteria": step["accept"], "playbook": step.get("playbook"), "local": entry.local}


def show(
    ask: Asking,
    step: Annotated[str, Argument(help="Its id, as 034 or H08.")],
    as_written: Annotated[
        bool, Option("--yaml", help="Print the step's file as it is written, and the site's override below it.")
    ] = False,
) -> None:
    """Show one step whole.

    It says what the step is, what the list of 195 steps says of it, and every figure with its source.

    Example:
        clusterwright catalog show 034

    """
    entry = require(read_catalog(site_if_any(ask.site)), step)
    if ask.as_json:
        print_json(entry_document(entry))
    elif as_written:
        shipped = shipped_folder().glob(f"*/{entry.step.id}_*.yaml") if entry.overridden else ()
        for path in (*shipped, entry.path):
            print(f"# {path}\n{clean(path.read_text(encoding='utf-8'))}", end="")
    else:
        print_entry(entry)


def roles(ask: Asking) -> None:
    """List the roles that a person, crew or policy may name.

    Example:
        clusterwright catalog roles

    """
    known = read_roles(site_if_any(ask.site))
    rows = [(slug, role.title, "signs" if role.signs else "") for slug, role in known.items()]
    ask.table(None, rows, ("role", "title", ""), tuple, document=lambda: known)
