"""What a site's schedule is solved from: the plan in force with what has happened, or the plan that its folder makes."""

from clusterwright.commands.asking import Asking
from clusterwright.planning import plan_of
from ledger.project_time import project_now
from ledger.stores.following import has_ledger
from steps.planning.scenarios.what_if import Case


def case_of(ask: Asking) -> Case:
    """Return the case of a site as it is now; before the first adoption nothing has happened."""
    if not has_ledger(ask.folder):
        plan = plan_of(ask.folder)
        return Case(plan, {}, max(plan.start, project_now()))
    from ledger.evidence.plans import read_plan
    from ledger.questions.actuals import actuals
    from ledger.questions.kept_forecast import forecast_time

    with ask.record() as snapshot:
        return Case(read_plan(snapshot), actuals(snapshot), forecast_time(snapshot))
