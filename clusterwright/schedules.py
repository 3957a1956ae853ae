"""The schedule that a command is to check: the site's own, or one in a file; solved, and assessed."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from clusterwright.planning import plan_of
from ledger.evidence.plans import read_plan
from ledger.forecasting import solved_as_kept
from ledger.questions.baseline import baseline
from ledger.reading import open_snapshot
from ledger.stores.following import has_ledger
from schedule.cpm.compiled import CompiledNetwork
from schedule.files.csv_project import read_project
from schedule.quality.assessing import Assessment, assess
from steps.planning.checks.quality_known import known_of_plan, known_of_project
from steps.planning.dates.dating import closing_row, network_of


class Judged(NamedTuple):
    """A schedule, what it is called, and its assessment."""

    what: str
    network: CompiledNetwork
    found: Assessment


def of_site(folder: Path) -> Judged:
    """Return the assessment of the plan in force with its progress; of what the folder makes where no plan is in force."""
    if not has_ledger(folder):
        plan = plan_of(folder)
        network = network_of(plan)
        end = closing_row(network)
        solution = network.solve(target=end)
        return Judged(
            f"the plan of {folder.name}",
            network,
            assess(network, solution, known_of_plan(plan, network, None), end=end),
        )
    with open_snapshot(folder) as snapshot:
        plan = read_plan(snapshot)
        held = baseline(snapshot)
        promised = read_plan(snapshot, held and held.revision)
        found = solved_as_kept(snapshot)
    network, solution = found.crewed.base, found.crewed.unlimited
    end = closing_row(network)
    known = known_of_plan(plan, network, promised)
    return Judged(f"the plan in force at {folder.name}", network, assess(network, solution, known, end=end))


def of_file(path: Path) -> Judged:
    """Return the assessment of a schedule in a file."""
    project = read_project(path)
    network = project.compiled()
    solution = network.solve(start=project.start, actuals=project.actuals)
    return Judged(str(path), network, assess(network, solution, known_of_project(project)))
