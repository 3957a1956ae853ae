"""`clusterwright catalog`: the steps, their graph and their lint."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.options import JsonOption, SiteOption
from steps.errors import NotSatisfiedError

app = typer.Typer(no_args_is_help=True, help="The 195 steps and the hold points.")

PresetOption = Annotated[str, typer.Option("--preset", help="The design to expand for.")]


@app.command("list")
def list_steps(
    phase: Annotated[str | None, typer.Option(help="Only this phase.")] = None,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """List every step: id, title, phase, kind, scope, supplies, links, criteria, playbook, sources."""
    from clusterwright.output import print_json, table
    from steps.catalog.loader import read_catalog

    entries = [e for e in read_catalog(site).values() if phase in (None, e.step.phase.value)]
    if as_json:
        print_json([_listed(entry) for entry in entries])
        return
    table(
        ("step", "title", "phase", "kind", "scope", "playbook"),
        [
            (e.step.id, e.step.title, e.step.phase, e.step.kind, e.step.scope, ", ".join(e.step.playbooks))
            for e in entries
        ],
    )


def _listed(entry: object) -> dict[str, object]:
    from steps.catalog.loader import Entry

    assert isinstance(entry, Entry)
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
def show(step: str, site: SiteOption = None, as_json: JsonOption = False) -> None:
    """Show one step whole, as it is written."""
    from clusterwright.output import clean, print_json
    from steps.catalog.loader import read_catalog, require

    entry = require(read_catalog(site), step)
    if as_json:
        print_json(entry.step)
    else:
        print(f"# {entry.path}\n{clean(entry.path.read_text(encoding='utf-8'))}", end="")


@app.command()
def roles(site: SiteOption = None, as_json: JsonOption = False) -> None:
    """List every role a person, crew or policy may name."""
    from clusterwright.output import print_json, table
    from steps.catalog.loader import read_roles

    known = read_roles(site)
    if as_json:
        print_json(known)
    else:
        rows = [(slug, r["title"], "signs" if r["signs"] else "") for slug, r in known.items()]
        table(("role", "title", ""), rows)


@app.command()
def graph(preset: PresetOption = "superpod-1su", site: SiteOption = None, as_json: JsonOption = False) -> None:
    """Give the links between steps for one design, bridged around what does not apply there."""
    from clusterwright.output import print_json, table
    from clusterwright.planning import read_all
    from steps.catalog.loader import read_catalog
    from steps.design.design import design_of_preset
    from steps.schedule.expansion import expand
    from steps.schedule.step_graph import step_graph

    if site is not None:
        _, design, catalog, _ = read_all(site)
    else:
        design, catalog = design_of_preset(preset), read_catalog()
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
        [(x["from"], x["to"], x["type"], x["lag"] or "", x["map"], x["reason"], " ".join(x["bridged"])) for x in links],
        right=(3,),
    )


@app.command()
def lint(site: SiteOption = None, as_json: JsonOption = False) -> None:
    """Check the catalog for itself and for the design of every preset; exit 1 where it fails."""
    from clusterwright.output import print_json, table
    from clusterwright.planning import playbooks_folder
    from steps.catalog.lint import lint as check
    from steps.catalog.loader import read_catalog, read_roles
    from steps.design.design import design_of_preset
    from steps.design.preset import preset_names

    designs = {name: design_of_preset(name) for name in preset_names()}
    catalog = read_catalog(site)
    report = check(catalog, read_roles(site), designs, playbooks_folder())
    if as_json:
        print_json(
            {
                "steps": len(catalog),
                "findings": [
                    {"rule": f.rule, "message": f.message, "place": str(f.place), "hint": f.hint}
                    for f in report.findings
                ],
                "figures": report.figures,
                "assumption_share": round(report.assumption_share, 4),
                "barriers": report.barriers,
                "activities": report.activities,
                "start_without_predecessor": report.free_starts,
            }
        )
    else:
        table(("rule", "where", "what"), [(f.rule, f.place, f.message) for f in report.findings])
        print(
            f"{len(catalog)} steps, {report.figures} figures "
            f"({report.assumption_share:.0%} marked assumption), {len(report.barriers)} links "
            f"wait for all pods, {len(report.findings)} findings"
        )
    if report.findings:
        raise NotSatisfiedError(f"the catalog has {len(report.findings)} findings")
