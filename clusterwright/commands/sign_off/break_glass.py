"""Pass finished work against its policy, in an emergency.

It is shown for ever, with what was lacking.

Example:
    clusterwright break-glass H20@hall-1 --reason 'the hall floods; power is needed now'

"""

from typing import Annotated, Any

import typer
from typer import Option

from clusterwright.commands.acting import SigningReport
from clusterwright.commands.options import ActivityId, YesOption
from clusterwright.output import say
from ledger.subjects.sign_off import decisions as sign_off
from schedule.errors import InputError


def break_glass(
    me: SigningReport,
    activity: ActivityId,
    reason: Annotated[str, Option(help="What the emergency is; it stays on record for ever.")],
    yes: YesOption = False,
) -> None:
    if not yes and typer.prompt("It passes against its policy, and shows for ever. Type the activity's id") != activity:
        raise InputError("that is not its id; nothing recorded")
    event: Any = me.take(sign_off.break_glass, activity, reason)
    say(f"{activity}: passed without {'; '.join(event.payload.lacking)}")
