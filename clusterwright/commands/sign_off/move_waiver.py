"""Set another day by which a waived criterion is made good.

Those who may waive the criterion may do so, and signs it where a waiver is signed.

Example:
    clusterwright move-waiver H08@pod-001 W-0001 --due 2027-02-28 --reason 'anchors come in February'

"""

from datetime import date
from typing import Annotated

from typer import Argument

from clusterwright.commands.acting import SigningReport
from clusterwright.commands.options import ActivityId, ReasonOption, day_option
from ledger.subjects.sign_off import decisions as sign_off


def move_waiver(
    me: SigningReport,
    activity: ActivityId,
    waiver: Annotated[str, Argument(help="The waiver, as `clusterwright punch` lists it.")],
    due: Annotated[date, day_option("The new day.")],
    reason: ReasonOption,
) -> None:
    me.once(activity, f"{waiver} is due on {due}", sign_off.move_waiver, waiver, due, reason)
