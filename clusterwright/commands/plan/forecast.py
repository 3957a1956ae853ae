"""Say when go-live will be, and what drives it.

It is worked out from what has happened so far. --publish records it, and later forecasts are compared with it.

Example:
    clusterwright forecast
    clusterwright forecast --publish

"""

from datetime import datetime, timedelta
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import AsOption
from clusterwright.output import Document, print_json, say
from ledger.evidence.plans import read_plan
from ledger.questions.actuals import current_forecast
from ledger.questions.log import forecasts
from ledger.questions.snapshot import Snapshot


def forecast(
    ask: Asking,
    publish: Annotated[bool, Option("--publish", help="Record it; later ones are compared with it.")] = False,
    who: AsOption = None,
) -> None:
    with ask.record() as snapshot:
        document = _document(snapshot)
    if publish:
        from clusterwright.commands.acting import Acting  # SQLAlchemy, which --publish alone needs
        from ledger.decisions.plan import publish_forecast

        Acting(ask.site, who).take(publish_forecast, document["finish"], phases=document["phases"])
    if ask.as_json:
        print_json(document)
        return
    print(
        f"go-live {document['finish']:%Y-%m-%d}, planned {document['planned']:%Y-%m-%d}: {document['days_late']:+d} days"
    )
    if document["published"]:
        last = document["published"][0]
        moved = (document["finish"] - last.finish).days
        print(f"published {last.at:%Y-%m-%d} by {last.by}: go-live {last.finish:%Y-%m-%d}, {moved:+d} days since")
    if document["slip_usd"]:
        print(f"the delay costs about ${document['slip_usd']:,}")
    if document["critical"]:
        print("driven by " + ", ".join(document["critical"][:12]))
    if publish:
        say("published")


def _document(snapshot: Snapshot) -> Document:
    plan = read_plan(snapshot)
    found = current_forecast(snapshot, plan)
    phases: dict[str, datetime] = {}
    for activity in plan.activities:
        if activity.id in found.nodes and not activity.continuing:
            phase, ends = activity.phase.value, found.nodes[activity.id]
            phases[phase] = max(phases.get(phase, ends), ends)
    late = found.finish - plan.finish
    return {
        "as_of": snapshot.now,
        "finish": found.finish,
        "planned": plan.finish,
        "days_late": late.days,
        "slip_usd": round(max(0.0, late / timedelta(days=1)) * plan.slip_day_usd),
        "critical": list(found.critical),
        "phases": phases,
        "published": forecasts(snapshot),
    }
