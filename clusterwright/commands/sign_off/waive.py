"""Decide to proceed with criteria unmet.

Each becomes a punch item with the day by which it is made good. Without --metric all unmet criteria are waived.

Example:
    clusterwright waive H08@pod-001 --reason 'anchors follow' --due 2027-01-31 --metric rack.anchors_torqued_ratio

"""

from datetime import date
from typing import Annotated

from typer import Option

from clusterwright.commands.acting import SigningReport
from clusterwright.commands.options import Activities, ReasonOption, day_option
from clusterwright.commands.patterns import matching_activities
from clusterwright.output import say
from ledger.questions.why import to_waive
from ledger.subjects.sign_off import decisions as sign_off


def waive(
    me: SigningReport,
    activities: Activities,
    reason: ReasonOption,
    due: Annotated[date, day_option("By when it is made good.")],
    metric: Annotated[list[str] | None, Option(help="Which criterion.")] = None,
) -> None:
    with me.deciding() as decider:
        names = matching_activities(decider.snapshot, activities).all()
        named = {name: to_waive(decider.snapshot, name, metric or ()) for name in names}
        for name, metrics in named.items():
            for each in metrics:
                decider.take(sign_off.waive, name, each, reason, due)
            say(f"{name}: waived")
