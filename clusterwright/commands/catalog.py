"""`clusterwright catalog`: the steps, their graph and their lint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clusterwright.commands.options import JsonOption, SiteOption
from steps.errors import InputError, NotSatisfiedError

if TYPE_CHECKING:
    from steps.catalog.loader import Catalog, Entry
    from steps.catalog.schema import Step
    from steps.design.design import Design

app = typer.Typer(no_args_is_help=True, help="The 195 steps and the hold points.")

PRESET = "superpod-1su"
"""The preset whose design is drawn outside a site's folder."""


@app.command("list")
def list_steps(
    phase: Annotated[str | None, typer.Option(help="Only this phase.")] = None,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """List every step: id, title, phase, kind, scope, supplies, links, criteria, playbook, sources.

    Example: clusterwright catalog list --phase networking
    """
    from clusterwright.output import print_json, table
    from clusterwright.where import nearest_site
    from steps.catalog.loader import read_catalog

    catalog = read_catalog(nearest_site(site))
    entries = [entry for entry in catalog.values() if not phase or entry.step.phase == phase]
    if as_json:
        print_json([_listed(entry) for entry in entries])
        return
    columns = ("step", "title", "phase", "kind", "scope", "playbook")
    table(columns, [_step_row(entry.step) for entry in entries])


def _step_row(step: Step) -> tuple[object, ...]:
    playbooks = ", ".join(step.playbooks)
    return step.id, step.title, step.phase, step.kind, step.scope, playbooks


def _listed(entry: Entry) -> dict[str, object]:
    step = entry.step.model_dump(mode="json", exclude_none=True)
    return {
        "id": step["id"],
        "title": step["title"],
        "phase": step["phase"],
        "kind": step["kind"],
        "scope": step["scope"],
        "applies": step["applies"],
        "supplies": step["supplies"],
        "links": step["links"],
        "criteria": step["accept"],
        "duration": step["duration"],
        "crew": step["crew"],
        "sign_off": step["sign_off"],
        "completed_by": step["completed_by"],
        "playbook": step.get("playbook"),
        "alternatives": step["alternatives"],
        "sources": step["sources"],
        "local": entry.local,
    }


@app.command()
def show(
    step: str,
    as_written: Annotated[bool, typer.Option("--yaml", help="Print the step's file as it is written.")] = False,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one step whole: what it is, what the list of 195 steps says of it, and every figure with its source.

    Example: clusterwright catalog show 034
    """
    from clusterwright.catalog_view import entry_document, print_entry
    from clusterwright.output import clean, print_json
    from clusterwright.where import nearest_site
    from steps.catalog.loader import read_catalog, require

    entry = require(read_catalog(nearest_site(site)), step)
    if as_json:
        print_json(entry_document(entry))
    elif as_written:
        print(f"# {entry.path}\n{clean(entry.path.read_text(encoding='utf-8'))}", end="")
    else:
        print_entry(entry)


@app.command()
def roles(site: SiteOption = None, as_json: JsonOption = False) -> None:
    """List every role that a person, crew or policy may name.

    Example: clusterwright catalog roles --json
    """
    from clusterwright.output import print_json, table
    from clusterwright.where import nearest_site
    from steps.catalog.loader import read_roles

    known = read_roles(nearest_site(site))
    if as_json:
        print_json(known)
    else:
        rows = []
        for slug, role in known.items():
            rows.append((slug, role["title"], "signs" if role["signs"] else ""))
        table(("role", "title", ""), rows)


@app.command()
def graph(
    preset: Annotated[str | None, typer.Option("--preset", help="This preset's design, in place of a site's.")] = None,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the links between steps for one design, bridged around what does not apply there.

    Without --preset it is the site's design; outside a site's folder it is that of superpod-1su.

    Example: clusterwright catalog graph --preset xai-100k
    """
    from clusterwright.output import print_json, table
    from steps.schedule.expansion import expand
    from steps.schedule.step_graph import step_graph

    design, catalog = _drawn(preset, site)
    nodes, links = step_graph(expand(catalog, design, 8.0))
    if as_json:
        print_json(
            {
                "preset": design.preset.name,
                "nodes": [n for n in nodes if n["applies"]],
                "links": links,
                "not_applicable": [n for n in nodes if not n["applies"]],
            }
        )
        return
    table(
        ("from", "to", "type", "lag h", "map", "reason", "bridged"),
        [_row(link) for link in links],
        right=(3,),
    )


def _drawn(preset: str | None, site: Path | None) -> tuple[Design, Catalog]:
    """Return the design and the catalog whose graph is asked for."""
    from clusterwright.planning import read_all
    from clusterwright.where import nearest_site
    from steps.catalog.loader import read_catalog
    from steps.design.design import design_of_preset

    if preset is not None and site is not None:
        raise InputError("a graph is of a site or of a preset", hint="leave out --site or --preset")
    folder = nearest_site(site) if preset is None else None
    if folder is None:
        return design_of_preset(preset or PRESET), read_catalog()
    _, design, catalog, _ = read_all(folder)
    return design, catalog


def _row(link: dict[str, Any]) -> tuple[object, ...]:
    first = (link["from"], link["to"], link["type"], link["lag"] or "")
    return (*first, link["map"], link["reason"], " ".join(link["bridged"]))


@app.command()
def lint(
    step: Annotated[str | None, typer.Argument(help="Only this step: its id, or a file.")] = None,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check the catalog for itself and for the design of every preset; exit 1 if it has findings.

    One step is checked by itself, with its links and its formulas. Circles, missing receipts and links that wait for all
    pods show only in the whole catalog.

    Example: clusterwright catalog lint catalog/X01_label_the_rows.yaml
    """
    from clusterwright.catalog_view import print_report, report_document
    from clusterwright.output import print_json
    from clusterwright.planning import playbooks_folder, rooms
    from clusterwright.where import nearest_site
    from steps.catalog.lint import check
    from steps.catalog.lint.report import Installed
    from steps.catalog.loader import read_catalog, read_into, read_roles
    from steps.design.design import design_of_preset
    from steps.design.preset import preset_names

    folder = nearest_site(site)
    catalog = read_catalog(folder)
    installed = Installed(read_roles(folder), playbooks_folder(), rooms())
    designs = {name: design_of_preset(name) for name in preset_names()}
    if step is None:
        what, steps = "the catalog", len(catalog)
        report = check.lint(catalog, installed, designs)
    else:
        is_file = "/" in step or step.endswith(".yaml")
        name = read_into(catalog, Path(step)) if is_file else step
        what, steps = f"step {name}", 1
        report = check.lint_step(catalog, name, installed, designs)
    if as_json:
        print_json(report_document(report, steps))
    else:
        print_report(report, steps)
    if report.findings:
        raise NotSatisfiedError(f"findings in {what}: {len(report.findings)}")
