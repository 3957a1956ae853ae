"""What is decided about work in the place of an approval: it is refused, or passes although something is lacking."""

from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from clusterwright.commands.acting import Reporting, SigningReport
from clusterwright.commands.consequences import say_shut_out
from clusterwright.commands.options import Activities, ActivityId, ReasonOption, YesOption, day_option
from clusterwright.commands.patterns import matching_activities
from clusterwright.output import say
from ledger.questions.why import to_waive
from ledger.subjects.sign_off import decisions as sign_off
from ledger.subjects.work.evidence_decisions import attest as state
from schedule.errors import InputError


def reject(me: SigningReport, activity: ActivityId, reason: ReasonOption) -> None:
    """Refuse finished work.

    A non-conformance opens, and the work goes back.

    Example:
        clusterwright reject 034@pod-001 --reason 'two GPUs were left out'

    """
    me.each([activity], "rejected", sign_off.reject, reason)


def waive(
    me: SigningReport,
    activities: Activities,
    reason: ReasonOption,
    due: Annotated[date, day_option("By when it is made good.")],
    metric: Annotated[list[str] | None, Option(help="Which criterion.")] = None,
) -> None:
    """Decide to proceed with criteria unmet.

    Each becomes a punch item with the day by which it is made good. Without --metric all unmet criteria are waived.

    Example:
        clusterwright waive H08@pod-001 --reason 'anchors follow' --due 2027-01-31 --metric rack.anchors_torqued_ratio

    """
    with me.deciding() as decider:
        names = matching_activities(decider.snapshot, activities).all()
        named = {name: to_waive(decider.snapshot, name, metric or ()) for name in names}
        for name, metrics in named.items():
            for each in metrics:
                decider.take(sign_off.waive, name, each, reason, due)
            say(f"{name}: waived")


def move_waiver(
    me: SigningReport,
    activity: ActivityId,
    waiver: Annotated[str, Argument(help="The waiver, as `clusterwright punch` lists it.")],
    due: Annotated[date, day_option("The new day.")],
    reason: ReasonOption,
) -> None:
    """Set another day by which a waived criterion is made good.

    Those who may waive the criterion may do so, and sign it where a waiver is signed.

    Example:
        clusterwright move-waiver H08@pod-001 W-0001 --due 2027-02-28 --reason 'anchors come in February'

    """
    me.once(activity, f"{waiver} is due on {due}", sign_off.move_waiver, waiver, due, reason)


def attest(
    me: Reporting,
    activities: Activities,
    reason: ReasonOption,
    evidence: Annotated[list[Path] | None, Option(help="A file that shows it.")] = None,
) -> None:
    """State that what software would do was done outside.

    Another person then approves it. It is shown as attested for ever, and never as automated.

    Example:
        clusterwright attest 143@site --reason 'set up by hand' --evidence playbook.log

    """
    say_shut_out(me, activities, attests=True)
    me.each(activities, "attested", state, reason, evidence=evidence or [])


def break_glass(
    me: SigningReport,
    activity: ActivityId,
    reason: Annotated[str, Option(help="What the emergency is; it stays on record for ever.")],
    yes: YesOption = False,
) -> None:
    """Pass finished work against its policy, in an emergency.

    It is shown for ever, with what was lacking.

    Example:
        clusterwright break-glass H43@hall-1 --reason 'the hall floods; power is needed now'

    """
    if not yes and typer.prompt("It passes against its policy, and shows for ever. Type the activity's id") != activity:
        raise InputError("that is not its id; nothing recorded")
    event: Any = me.take(sign_off.break_glass, activity, reason)
    say(f"{activity}: passed without {'; '.join(event.payload.lacking)}")
