"""Check the catalog for itself and for every preset; exit 1 on a finding.

Example:
    clusterwright catalog lint

"""

from __future__ import annotations

from operator import attrgetter

from clusterwright.commands.options import JsonOption, SiteOption
from clusterwright.output import print_json, table
from clusterwright.planning import playbooks_folder
from clusterwright.where import site_if_any
from steps.catalog.lint import lint as lint_catalog
from steps.catalog.loader import read_catalog, read_roles
from steps.design.design import design_of_preset
from steps.design.preset import preset_names
from steps.errors import NotSatisfiedError


def lint(site: SiteOption = None, as_json: JsonOption = False) -> None:
    folder = site_if_any(site)
    designs = {name: design_of_preset(name) for name in preset_names()}
    catalog = read_catalog(folder)
    report = lint_catalog(catalog, read_roles(folder), designs, playbooks_folder())
    if as_json:
        print_json(
            {
                "steps": len(catalog),
                "findings": [
                    {
                        "rule": f.rule,
                        "message": f.message,
                        "place": str(f.place),
                        "hint": f.hint,
                    }
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
        table(("rule", "where", "what"), map(attrgetter("rule", "place", "message"), report.findings))
        figures = f"{report.figures} figures ({report.assumption_share:.0%} marked assumption)"
        waits = f"{len(report.barriers)} links wait for all pods"
        print(f"{len(catalog)} steps, {figures}, {waits}, {len(report.findings)} findings")
    if report.findings:
        raise NotSatisfiedError(f"the catalog has {len(report.findings)} findings")
