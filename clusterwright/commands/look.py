"""Verbs that only look: status, next, why, show, inbox, orders, log. They load nothing heavy."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from clusterwright.commands.options import AsOfOption, AsOption, JsonOption, SiteOption
from clusterwright.flat import flat_activity
from ledger.questions.activities import activities, ready
from ledger.questions.case import require_activity
from ledger.questions.inbox import inbox as waiting_for
from ledger.questions.log import last_events
from ledger.questions.site import site_of
from ledger.questions.why import why as why_waits
from steps.errors import WaitingError

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot
    from ledger.rules.activity import Activity


def _reader(site: SiteOption, as_of: AsOfOption = None) -> Snapshot:
    from clusterwright.as_of import open_reader
    from clusterwright.where import find_site

    return open_reader(find_site(site), as_of)


def _now(reader: Snapshot) -> datetime:
    """Give project time: real, but in a rehearsal and in the past that of the record."""
    from clusterwright.as_of import now_of

    return now_of(reader)


def status(site: SiteOption = None, as_of: AsOfOption = None, as_json: JsonOption = False) -> None:
    """Say in one screen how the site stands: phases, counts, go-live, what is late and what waits."""
    from clusterwright.as_of import dated, print_when
    from clusterwright.status_view import print_status, status_document

    with _reader(site, as_of) as reader:
        now = _now(reader)
        if as_json:
            from clusterwright.output import print_json

            print_json(dated(reader, status_document(reader, now)))
        else:
            print_when(reader)
            print_status(reader, now)


def next_(
    phase: Annotated[str | None, typer.Option(help="Only this phase.")] = None,
    limit: Annotated[int, typer.Option(help="How many at most.")] = 30,
    site: SiteOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what can be started now, the most urgent first."""
    from clusterwright.as_of import dated, print_when
    from clusterwright.output import print_json, say, table

    with _reader(site, as_of) as reader:
        rows = sorted(ready(reader, phase), key=lambda r: (_float_h(r), r.id))[:limit]
        if as_json:
            print_json(dated(reader, [flat_activity(row) for row in rows]))
            return
        print_when(reader)
        if not rows:
            say("nothing is ready; `clusterwright status` says what is under way")
            return
        zone = site_of(reader).time_zone
        table(
            ("activity", "what", "who", "kind", "since", "float h"),
            [
                (r.id, r.plan.title, r.plan.role, r.plan.kind, _day(r.ready_from, zone), f"{_float_h(r):.0f}")
                for r in rows
            ],
            right=(5,),
        )


def list_(
    phase: Annotated[str | None, typer.Option(help="Only this phase.")] = None,
    state: Annotated[str | None, typer.Option(help="Only this state, as ready or awaiting_sign_off.")] = None,
    unit: Annotated[str | None, typer.Option(help="Only this unit, as pod-003.")] = None,
    search: Annotated[str | None, typer.Option(help="Only where id or title holds this.")] = None,
    organisation: Annotated[str | None, typer.Option(help="Only what this contractor or its people do.")] = None,
    site: SiteOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """List activities with their state, in the order of the plan."""
    from clusterwright.as_of import dated, print_when
    from clusterwright.output import print_json, table
    from ledger.rules.activity import State
    from steps.errors import InputError

    if state is not None and state not in {s.value for s in State}:
        raise InputError(f"{state!r} is no state", hint="states: " + ", ".join(s.value for s in State))
    with _reader(site, as_of) as reader:
        rows = activities(reader, phase=phase, state=state, unit=unit, search=search, organisation=organisation)
        if as_json:
            print_json(dated(reader, [flat_activity(row) for row in rows]))
            return
        print_when(reader)
        zone = site_of(reader).time_zone
        table(
            ("state", "activity", "what", "who", "planned start", "flags"),
            [
                (
                    f"{r.state.glyph} {r.state.words}",
                    r.id,
                    r.plan.title,
                    r.assignee or r.whose or r.plan.role,
                    _day(r.plan.dates.early_start if r.plan.dates else None, zone),
                    " ".join(sorted(r.flags)),
                )
                for r in rows
            ],
        )


def why(activity: str, site: SiteOption = None, as_of: AsOfOption = None, as_json: JsonOption = False) -> None:
    """Say why an activity does not go on: what it waits for, and what it still needs."""
    from clusterwright.as_of import dated, print_when
    from clusterwright.output import clean, print_json

    with _reader(site, as_of) as reader:
        require_activity(reader, activity)
        answer = why_waits(reader, activity)
        if as_json:
            print_json(dated(reader, answer))
            return
        print_when(reader)
        print(clean(f"{activity}: {answer.state_sentence}"))
        for unmet in answer.unmet:
            through = f" (through {', '.join(unmet.bridged)})" if unmet.bridged else ""
            print(clean(f"  waits for {unmet.predecessor} {unmet.title}: {unmet.state}{through}; {unmet.reason}"))
        for need in answer.needs:
            print(clean(f"  needs {need}"))


def show(activity: str, site: SiteOption = None, as_of: AsOfOption = None, as_json: JsonOption = False) -> None:
    """Show one activity whole: state, policy, criteria, evidence, sign-offs, runs, links."""
    from clusterwright.activity_view import activity_document, print_activity
    from clusterwright.as_of import dated, print_when

    with _reader(site, as_of) as reader:
        row = require_activity(reader, activity)
        if as_json:
            from clusterwright.output import print_json

            print_json(dated(reader, activity_document(reader, row)))
        else:
            print_when(reader)
            print_activity(reader, row)


def inbox(site: SiteOption = None, who: AsOption = None, as_of: AsOfOption = None, as_json: JsonOption = False) -> None:
    """List what waits for you; exit 4 when something does."""
    from clusterwright.as_of import dated, print_when
    from clusterwright.output import print_json, say, table
    from clusterwright.where import acting_person

    with _reader(site, as_of) as reader:
        person = acting_person(reader, who)
        rows = waiting_for(reader, person)
        if as_json:
            print_json(dated(reader, rows))
            return
        print_when(reader)
        if not rows:
            say(f"nothing waits for {person}")
            return
        table(
            ("activity", "what", "do", "as", "missing evidence"),
            [(r.activity, r.title, r.action, r.role, ", ".join(r.missing_evidence)) for r in rows],
        )
        raise WaitingError(f"{len(rows)} wait for {person}")


def forecast(
    publish: Annotated[
        bool, typer.Option("--publish", help="Record it, so that later ones can be held against it.")
    ] = False,
    site: SiteOption = None,
    who: AsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say when go-live will be, from what has happened until now, and what drives it."""
    from clusterwright.forecasting import forecast_document, publish_now
    from clusterwright.output import print_json, say
    from clusterwright.where import find_site

    folder = find_site(site)
    with _reader(folder) as reader:
        now = _now(reader)
        document = forecast_document(reader, folder, now)
    if publish:
        publish_now(folder, who, document)
    if as_json:
        print_json(document)
        return
    print(
        f"go-live {document['finish']:%Y-%m-%d}, planned {document['planned']:%Y-%m-%d}: {document['days_late']:+d} days"
    )
    if document["slip_usd"]:
        print(f"the delay costs about ${document['slip_usd']:,}")
    print("driven by " + ", ".join(document["critical"][:12]))
    if publish:
        say("published")


def orders(
    budget: Annotated[
        bool, typer.Option("--budget", help="What is committed, received and open by budget line.")
    ] = False,
    history: Annotated[
        str | None, typer.Option("--history", help="Everything recorded of one order.", metavar="ID")
    ] = None,
    organisation: Annotated[str | None, typer.Option(help="Only this supplier's or contractor's.")] = None,
    site: SiteOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """List every order: by when to place it, when it must be here, and how it stands; or what they cost."""
    from clusterwright import orders_view
    from clusterwright.as_of import dated, print_when
    from clusterwright.output import print_json
    from clusterwright.where import find_site

    folder = find_site(site)
    with _reader(folder, as_of) as reader:
        answer, shown = (
            orders_view.history(reader, history)
            if history is not None
            else orders_view.budget(reader, folder)
            if budget
            else orders_view.listed(reader, organisation)
        )
        if as_json:
            print_json(dated(reader, answer))
            return
        print_when(reader)
        shown()


def log(
    activity: Annotated[str | None, typer.Argument(help="Only events about this.")] = None,
    limit: Annotated[int, typer.Option(help="How many, newest last.")] = 40,
    site: SiteOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the ledger's events."""
    from clusterwright.as_of import dated, print_when
    from clusterwright.output import print_json, table

    with _reader(site, as_of) as reader:
        rows = last_events(reader, limit, subject=activity)
        if as_json:
            print_json(dated(reader, rows))
            return
        print_when(reader)
        zone = site_of(reader).time_zone
        table(
            ("seq", "recorded", "who", "what", "about"),
            [(e.seq, _minute(e.recorded_at, zone), e.actor, e.kind, e.subject) for e in rows],
            right=(0,),
        )


def _float_h(row: Activity) -> float:
    return row.plan.dates.total_float_h if row.plan.dates else 0


def _day(moment: datetime | date | None, zone: str) -> str:
    from clusterwright.output import day

    return day(moment, zone)


def _minute(instant: datetime | None, zone: str) -> str:
    from clusterwright.output import minute

    return minute(instant, zone)
