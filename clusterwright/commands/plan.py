"""`clusterwright plan`: dates, critical path, orders; adopt and diff revisions."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.options import AsOption, JsonOption, KeyOption, SiteOption

app = typer.Typer(invoke_without_command=True, help="Work out the plan; `adopt` puts it in force, `diff` compares.")


@app.callback()
def plan(
    context: typer.Context,
    site: SiteOption = None,
    as_json: JsonOption = False,
    gantt: Annotated[bool, typer.Option("--gantt", help="Draw bars instead of the tables.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Every activity, not only critical ones.")] = False,
) -> None:
    """Work out the plan of the site's folder as it stands now; nothing is adopted."""
    if context.invoked_subcommand is not None:
        return
    from clusterwright.output import print_json
    from clusterwright.plan_view import gantt_lines, plan_document, print_plan
    from clusterwright.planning import plan_of
    from clusterwright.where import find_site

    made = plan_of(find_site(site))
    if as_json:
        print_json(plan_document(made))
    elif gantt:
        for line in gantt_lines(made, everything=everything):
            print(line)
    else:
        print_plan(made, everything=everything)


@app.command()
def adopt(
    site: SiteOption = None,
    who: AsOption = None,
    reason: Annotated[str, typer.Option(help="Why this revision.")] = "first plan",
    baseline: Annotated[str | None, typer.Option(help="Name it as a baseline.")] = None,
    rehearsal: Annotated[bool, typer.Option("--rehearsal", help="A new ledger is for rehearsing only.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    key: KeyOption = None,
) -> None:
    """Put the plan in force as the next revision; the engine reads nothing else."""
    from clusterwright.adoption import adopt_site
    from clusterwright.output import say
    from clusterwright.where import find_site

    folder = find_site(site)
    outcome = adopt_site(
        folder,
        who=who,
        reason=reason,
        baseline=baseline,
        rehearsal=rehearsal,
        dry_run=dry_run,
        ask=None if yes else typer.confirm,
        key=key,
    )
    say(outcome)


@app.command()
def diff(site: SiteOption = None, as_json: JsonOption = False) -> None:
    """Compare the plan the folder makes now with the revision in force: first what no longer holds under it."""
    from clusterwright.adoption import revision_changes
    from clusterwright.output import print_json, say, table
    from clusterwright.planning import plan_of
    from clusterwright.where import find_site

    folder = find_site(site)
    changes = revision_changes(folder, plan_of(folder))
    if as_json:
        print_json(changes)
        return
    if not changes:
        say("the plan in force is what the folder makes now")
        return
    table(("what", "id", "in force", "now"), [(c.what, c.id, c.before, c.after) for c in changes])
