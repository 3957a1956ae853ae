"""Say why an activity, an order or a delivery does not go on, and what drives its date.

It names what must be done before it, and what it still needs itself: a reading, a file, a signature. The same work at several
units is one line; --json has each unit. With --chain it prints what drives its date, from today on: each line makes the one below
it as late as it is. The chains that nearly drive it come after it.
A step that is done once at the site may be named by its number: 195 is 195@site, which is go-live.

Example:
    clusterwright why 034@pod-001
    clusterwright why '001@site#gpu-server' --chain
    clusterwright why 195 --chain

"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import ActivityId
from clusterwright.output import Cells, day, in_line, table
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions import why as questions
from ledger.questions.case import require_activity
from ledger.questions.meant import activity_named
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.why_supply import Why
from ledger.rules.activity import State
from ledger.rules.subjects import is_supply
from schedule.errors import ClusterwrightError, WaitingError
from steps.amount import counted
from steps.planning.activity import handed_over

if TYPE_CHECKING:
    from steps.planning.record.driving import Driven
    from steps.planning.record.near_critical import FloatChain

NEAR = 5
"""How many chains are named that nearly drive a date."""


def why(
    ask: AskingPast,
    activity: ActivityId,
    chain: Annotated[bool, Option("--chain", help="What drives its date, from today on.")] = False,
) -> None:
    with ask.record() as snapshot:
        name, zone = activity_named(snapshot, activity), site_of(snapshot).time_zone
        found = with_need_of_run(snapshot, questions.why(snapshot, name, lapsed_releases(snapshot)))
        if not chain:
            ask.answer(snapshot, found, lambda: _print(found, zone))
            return
        driven, near = _chains(snapshot, name)
        document = found._asdict() | {"chain": driven, "near_critical": near}

        def in_words() -> None:
            _print_chain(found, driven, zone)
            _print_near(near)

        ask.answer(snapshot, document, in_words)


def with_need_of_run(snapshot: Snapshot, found: Why) -> Why:
    """Return what ready work needs, with what has to be put right, or allowed by this account, before it is run."""
    is_of_before = snapshot.as_of is not None or snapshot.cut_off is not None
    if found.state != State.READY or is_of_before or is_supply(found.activity):
        return found
    need = _need_of_run(snapshot.site_dir, snapshot, found.activity)
    return found._replace(needs=(*found.needs, need)) if need else found


def _need_of_run(folder: Path, snapshot: Snapshot, name: str) -> str:
    """Return what has to be put right, or allowed by this account, before ready work is run. Empty where the engine did not ask.

    It is looked at where an engine of this folder has asked something in this attempt, since Ansible needs seconds to read an
    inventory.
    """
    from flows.engine.log_file import log_file
    from flows.engine.questions_asked import has_asked

    try:
        row = require_activity(snapshot, name)
        if not log_file(folder).exists() or not has_asked(folder, name, row.attempt):
            return ""
        from flows.runs.allowing.asked import asked_for, require_allowed
        from flows.runs.inventory.sources import site_in

        require_allowed(folder, asked_for(folder, site_in(folder), filter(None, [row.plan.playbook])))
    except WaitingError as waiting:
        return f"an answer: {waiting.what}; {waiting.hint}"
    except ClusterwrightError as error:
        return f"to be put right: {error}"
    except OSError:  # in a folder of another account
        return ""
    return ""


def _chains(snapshot: Snapshot, name: str) -> "tuple[tuple[Driven, ...], tuple[FloatChain, ...]]":
    from ledger.forecasting import solved_as_kept  # the schedule's engines
    from steps.planning.record.driving import driving_chain
    from steps.planning.record.near_critical import near_critical

    solved = solved_as_kept(snapshot)
    driven = driving_chain(solved, name)
    return driven, near_critical(solved, name, {one.id for one in driven}, most=NEAR)


def _print_chain(found: Why, driven: "Iterable[Driven]", zone: str) -> None:
    print(in_line(f"{found.activity}: {found.state_sentence}"))
    table(
        ("what", "title", "start", "finish", "after", "because"),
        [_line(one, zone) for one in driven],
        title="What drives its date: each goes on from the one above",
    )


def _print_near(near: "Iterable[FloatChain]") -> None:
    rows = [
        (_on(one.calendar, one.float_h), one.ids[0], one.ids[-1], one.joins, len(one.ids), one.tightest) for one in near
    ]
    if rows:
        title = "What nearly drives it: each chain may be delayed by its float, with the crews in the same order"
        table(("float", "from", "to", "leads to", "activities", "tightest"), rows, title=title, right=(4,))


def _line(one: "Driven", zone: str) -> Cells:
    return (one.id, one.title, day(one.start, zone), day(one.finish, zone), one.held_by, _because(one))


def _because(one: "Driven") -> str:
    """Return why it waits for what is before it: the link's reason, its type and lag, the wait for a crew."""
    if one.crew is not None:
        return f"waits {_time(one.crew_wait_h)} for {handed_over(one.crew)}"
    parts = [one.reason]
    if one.type not in {None, "FS"}:
        parts.append(str(one.type))
    if one.lag_h:
        parts.append(f"{'lag' if one.lag_h > 0 else 'lead'} {_on(one.lag_calendar, abs(one.lag_h))}")
    if one.crew_wait_h:
        parts.append(f"waits {_time(one.crew_wait_h)} for its turn with the crews")
    return "; ".join(filter(None, parts))


def _on(calendar: str | None, hours: float) -> str:
    """Return hours of a calendar. Only around the clock a day has 24 of them."""
    return f"{_time(hours) if calendar == 'elapsed' else _hours(hours)} ({calendar})"


def _time(hours: float) -> str:
    return f"{hours / 24:.1f} days" if hours >= 24 else _hours(hours)


def _hours(hours: float) -> str:
    return "less than an hour" if 0 < hours < 1 else counted(round(hours), "hour")


def _print(found: Why, zone: str) -> None:
    print(in_line(f"{found.activity}: {found.state_sentence}"))
    for line in found.lines(zone):
        print(in_line(f"  {line}"))
