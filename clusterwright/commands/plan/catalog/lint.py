"""Check the catalog; exit code 1 on a finding.

It is checked for itself and for the design of every preset.

One step is checked by itself, with its links and its formulas. Circles, missing receipts and links that wait for all pods
show only in the whole catalog.

Example:
    clusterwright catalog lint
    clusterwright catalog lint catalog/X01_label_the_rows.yaml

"""

from pathlib import Path
from typing import Annotated

from typer import Argument

from clusterwright.catalog_view import print_report, report_document
from clusterwright.commands.asking import Asking
from clusterwright.planning import rooms
from clusterwright.where import site_if_any
from flows.runs.process.place import playbooks_folder
from schedule.errors import NotSatisfiedError
from steps.catalog.lint import check
from steps.catalog.lint.report import Installed
from steps.catalog.loader import read_catalog, read_into, read_roles
from steps.design.design import design_of_preset
from steps.design.preset import preset_names


def lint(
    ask: Asking,
    step: Annotated[str | None, Argument(help="Only this step: its id, or a file.")] = None,
) -> None:
    folder = site_if_any(ask.site)
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
    ask.answer(None, report_document(report, steps), lambda: print_report(report, steps))
    if report.findings:
        raise NotSatisfiedError(f"findings in {what}: {len(report.findings)}")
