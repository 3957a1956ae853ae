"""Work out dates, critical path and orders.

Without a verb the plan of the site's folder is worked out as it is now, and nothing is adopted.

Example:
    clusterwright plan
    clusterwright plan --gantt --all
    clusterwright plan --samples 2000
    clusterwright plan --dates --json
    clusterwright plan --scenario compressed
    clusterwright plan adopt --as owner

"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import SamplesOption, SeedOption
from clusterwright.drawing import say_what_is_drawn
from clusterwright.odds_view import HALF_A_WEEK, commitment_lines, parts_line, print_milestones, print_responses
from clusterwright.output import print_json, say
from clusterwright.plan_diff import for_people, plan_and_changes
from clusterwright.plan_view import gantt_lines, odds_document, plan_document, premium_line, print_plan
from clusterwright.planning import site_at, site_without_scenario, solved_plan_of
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions.headlines import headlines
from steps.design.design import design_of
from steps.design.scenario import scenario_title
from steps.planning.plan import Plan
from steps.planning.scenarios.working_cost import working_cost

if TYPE_CHECKING:
    from schedule.crews.levelled_network import CrewedSolution
    from steps.catalog.terms import Percentile
    from steps.design.site import Site
    from steps.planning.odds.commitment import PlanCommitment
    from steps.planning.odds.contingency_parts import ContingencyParts
    from steps.planning.odds.plan_odds import PlanOdds


def plan(
    ask: Asking,
    gantt: Annotated[bool, Option("--gantt", help="Draw bars instead of the tables.")] = False,
    scenario: Annotated[
        str | None,
        Option("--scenario", metavar="NAME", help="Plan under it: normal, compressed, constrained or your own."),
    ] = None,
    everything: Annotated[bool, Option("--all", help="Every activity, not only critical ones.")] = False,
    samples: SamplesOption = None,
    seed: SeedOption = 1,
    dates: Annotated[bool, Option("--dates", help="Dates alone, without odds: no samples are drawn.")] = False,
) -> None:
    site = site_at(ask.folder, scenario)
    made, crewed = solved_plan_of(ask.folder, site=site)
    if gantt and not ask.as_json:
        for line in gantt_lines(made, everything=everything):
            print(line)
        return
    title, cost = _title(ask.folder, site) if site.scenario else "", working_cost(made, site)
    if not ask.as_json:
        if title:
            print(f"Scenario {title}. `plan compare` has the price of each change.")
        print_plan(made, everything=everything)
        print(premium_line(cost))
    sure = None if dates else _sure(made, crewed, site.commit_to, samples, seed)
    if ask.as_json:
        odds, commitment, parts = sure or (None, None, None)
        print_json(
            plan_document(made)
            | {
                "odds": odds and odds_document(odds),
                "commitment": commitment,
                "contingency": parts,
                "working_cost": cost._asdict() | {"total": cost.total},
                "scenario_title": title,
            }
        )
    elif sure:
        _print_odds(made, *sure)


def _sure(
    made: Plan,
    crewed: "CrewedSolution",
    commit_to: "Percentile",
    samples: int | None,
    seed: int,
) -> "tuple[PlanOdds, PlanCommitment, ContingencyParts]":
    """Return how sure the dates are, the commitment, and the parts of its contingency."""
    # the samplers: dates are on the screen before they are loaded
    from steps.planning.odds.commitment import commitment_of
    from steps.planning.odds.contingency_parts import odds_and_parts

    say_what_is_drawn(len(made.activities), samples)
    odds, parts = odds_and_parts(made, crewed, commit_to, samples=samples, seed=seed)
    return odds, commitment_of(made, odds, commit_to), parts


def _print_odds(made: Plan, odds: "PlanOdds", commitment: "PlanCommitment", parts: "ContingencyParts") -> None:
    title = f"How sure the dates are, with the site's crews: {odds.samples:,} samples, seed {odds.seed}"
    print_milestones(odds.milestones, made.time_zone, title=title)
    print_responses(odds.responses)
    for line in commitment_lines(commitment, made.time_zone):
        print(line)
    if parts.weeks >= HALF_A_WEEK:
        print(parts_line(parts))


def _title(folder: Path, site: "Site") -> str:
    """Return the title of a site's scenario with all that it changes."""
    from steps.planning.scenarios.scenario_changes import changes, titled

    ours = site_without_scenario(folder)
    design = design_of(ours, folder)
    return titled(
        scenario_title(site.scenario or "", folder), changes(ours, site, {**design.figures, **design.choices})
    )


def diff(ask: Asking) -> None:
    """Compare the plan with the revision in force.

    What would no longer hold under it comes first. What is the same at several units is one line, and links of what comes or
    goes as a whole are left out; --json has every one.

    Example:
        clusterwright plan diff

    """
    with ask.record() as snapshot:
        _, changes = plan_and_changes(snapshot)
        headers, empty = ("what", "id", "in force", "now"), "the plan in force is what the folder makes now"
        ask.table(snapshot, for_people(changes), headers, tuple, document=lambda: changes, empty=empty)
        for line in headlines(snapshot, lapsed_releases(snapshot)).lines:
            say(line)
