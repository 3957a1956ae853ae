"""Invite the witnesses of an activity, or record who came.

Without an option it says who is invited, and who came.

Example:
    clusterwright witness H43@hall-1 --for 2027-03-01T09:00
    clusterwright witness H43@hall-1 --attended facility-lead --note 'signed the sheet'
    clusterwright witness H43@hall-1

"""

from datetime import datetime, time, timedelta
from typing import Annotated, Any

from typer import Argument, Option

from clusterwright.activity_view import witness_lines
from clusterwright.commands.acting import Reporting
from clusterwright.commands.asking import Asking
from clusterwright.commands.options import JsonOption, NoteOption, a_day, instant
from clusterwright.output import print_lines, say
from ledger.questions.case import require_activity
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.witnesses import attendances, invitation
from ledger.rules.activity import Activity
from ledger.subjects.sign_off import decisions as sign_off
from schedule.errors import InputError
from steps.stamps import at_site, minute


def witness(
    me: Reporting,
    activity: Annotated[str, Argument(help="An activity that invites witnesses, as H43@hall-1.")],
    on: Annotated[
        str | None, Option("--for", help="When it takes place: 2027-03-01T09:00, or a day.", metavar="TIME")
    ] = None,
    agreed: Annotated[bool, Option("--agreed", help="They agreed to a shorter notice.")] = False,
    attended: Annotated[str | None, Option(help="This role came to see it.", metavar="ROLE")] = None,
    person: Annotated[str | None, Option(help="Who came in that role; you, if not given.", metavar="ID")] = None,
    absent: Annotated[str | None, Option(help="This role did not come, or excuses itself.", metavar="ROLE")] = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> None:
    if sum(given is not None for given in (on, attended, absent)) > 1:
        raise InputError("one thing at a time", hint="--for TIME, --attended ROLE or --absent ROLE")
    if absent is not None and person is not None:
        raise InputError("nobody came in that role, so no person is named", hint="leave --person out")
    with me.record() as snapshot:
        if on is attended is absent is None:
            _answer(Asking(me.site, as_json), snapshot, require_activity(snapshot, activity))
            return
        zone = site_of(snapshot).time_zone
    with me.deciding() as decider:
        if on is not None:
            event: Any = decider.take(sign_off.invite, activity, _moment(on, zone), agreed=agreed)
            said = f"{', '.join(event.payload.roles)} invited for {minute(event.payload.on, zone)}"
        elif attended is not None:
            decider.take(sign_off.attend, activity, attended, person=person or decider.person, note=note)
            said = f"{attended} attended"
        else:
            decider.take(sign_off.attend, activity, absent or "", person=None, note=note)
            said = f"{absent} did not attend"
    say(f"{activity}: {said}")


def _moment(text: str, zone: str) -> datetime:
    """Return an instant. Without an offset it is the site's time. A day alone means its end at the site: witnesses may come at any hour of it."""
    if "T" in text:
        return at_site(instant(text), zone)
    return at_site(datetime.combine(a_day(text) + timedelta(days=1), time()), zone)


def _answer(ask: Asking, snapshot: Snapshot, row: Activity) -> None:
    wanted = row.plan.policy.witness
    document = {
        "activity": row.id,
        "roles": wanted.roles if wanted else (),
        "notice_h": wanted.notice_h if wanted else 0.0,
        "invitation": invitation(snapshot, row),
        "witnesses": attendances(snapshot, row),
    }
    lines = witness_lines(snapshot, row, site_of(snapshot).time_zone) or [f"{row.id} invites no witnesses"]
    if wanted is not None:
        lines.append(f"notice: {wanted.notice_h:g} working hours")
    ask.answer(snapshot, document, lambda: print_lines(lines))
