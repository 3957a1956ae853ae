"""`clusterwright witness`: who is invited to see an activity done, when, and who came."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from clusterwright.commands.options import AsOption, JsonOption, SiteOption
from ledger.decisions import sign_off
from ledger.questions.case import require_activity
from ledger.questions.site import site_of
from ledger.questions.witnesses import attendances, invitation
from ledger.reading import open_snapshot
from steps.errors import InputError


def witness(
    activity: Annotated[str, typer.Argument(help="An activity that invites witnesses, as H20@hall-1.")],
    on: Annotated[
        str | None, typer.Option("--for", help="When it takes place: 2027-03-01T09:00, or a day.", metavar="TIME")
    ] = None,
    agreed: Annotated[bool, typer.Option("--agreed", help="They agreed to a shorter notice.")] = False,
    attended: Annotated[
        str | None, typer.Option("--attended", help="This role came to see it.", metavar="ROLE")
    ] = None,
    person: Annotated[
        str | None, typer.Option("--person", help="Who came in that role; you, if not given.", metavar="ID")
    ] = None,
    absent: Annotated[
        str | None, typer.Option("--absent", help="This role did not come, or excuses itself.", metavar="ROLE")
    ] = None,
    note: Annotated[str, typer.Option("--note", help="What stands out.")] = "",
    site: SiteOption = None,
    who: AsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Invite the witnesses of an activity, record who came, or say how it stands."""
    if sum(given is not None for given in (on, attended, absent)) > 1:
        raise InputError("one thing at a time", hint="--for TIME, --attended ROLE or --absent ROLE")
    if on is not None:
        _invite(activity, on, agreed, site, who)
    elif attended is not None or absent is not None:
        _note(activity, attended, absent, person, note, site, who)
    else:
        _show(activity, site, as_json)


def _invite(activity: str, on: str, agreed: bool, site: Path | None, who: str | None) -> None:
    from clusterwright.commands.acting import act_once
    from clusterwright.commands.options import instant
    from clusterwright.where import find_site

    with open_snapshot(find_site(site)) as reader:
        zone = site_of(reader).time_zone
    at = instant(on) if "T" in on else _end_of_day(on, zone)
    assert at is not None
    act_once(
        site,
        who,
        lambda ledger, me: sign_off.invite(ledger, me, activity, at, agreed=agreed),
        lambda event: f"{activity}: {', '.join(event.payload.roles)} invited for {event.payload.on:%Y-%m-%d %H:%M}Z",
    )


def _end_of_day(text: str, zone: str) -> datetime:
    """Give the end of a day at the site: whoever is told a day may come at any hour of it."""
    from datetime import time, timedelta
    from zoneinfo import ZoneInfo

    from clusterwright.commands.options import a_day

    midnight = datetime.combine(a_day(text) + timedelta(days=1), time(), ZoneInfo(zone))
    return midnight.astimezone(UTC)


def _note(
    activity: str,
    attended: str | None,
    absent: str | None,
    person: str | None,
    note: str,
    site: Path | None,
    who: str | None,
) -> None:
    from clusterwright.commands.acting import act_once

    role = attended or absent or ""
    if absent is not None and person is not None:
        raise InputError("nobody came in that role, so no person is named", hint="leave --person out")
    act_once(
        site,
        who,
        lambda ledger, me: sign_off.attend(
            ledger, me, activity, role, person=None if absent is not None else person or me, note=note
        ),
        f"{activity}: {role} {'did not attend' if absent is not None else 'attended'}",
    )


def _show(activity: str, site: Path | None, as_json: bool) -> None:
    from clusterwright.activity_view import witness_lines
    from clusterwright.output import clean, print_json
    from clusterwright.where import find_site

    with open_snapshot(find_site(site)) as reader:
        row = require_activity(reader, activity)
        wanted = row.plan.policy.witness
        if as_json:
            print_json(
                {
                    "activity": row.id,
                    "roles": wanted.roles if wanted else (),
                    "notice_h": wanted.notice_h if wanted else 0.0,
                }
                | {
                    "invitation": invitation(reader, require_activity(reader, row.id)),
                    "witnesses": attendances(reader, require_activity(reader, row.id)),
                }
            )
            return
        lines = witness_lines(reader, row.id, site_of(reader).time_zone) or [f"{row.id} invites no witnesses"]
        if wanted is not None:
            lines.append(f"notice: {wanted.notice_h:g} working hours")
    print(clean("\n".join(lines)))
