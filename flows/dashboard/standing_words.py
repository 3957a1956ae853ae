"""A standing in the words and colours of the dashboard: which of Prefect's states it has, and what it waits for.

Green (COMPLETED) is only what is over. Red (FAILED) is what has a failure that a person decides about. Blue (RUNNING) is at work,
yellow (PAUSED) waits for a person, PENDING waits for other work or a delivery. Grey (CANCELLED) never had anything to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ledger.questions.kept_forecast import KeptForecast
from ledger.questions.standings import WorkStanding
from ledger.rules.activity import NOT_BEGUN, NOT_MET, OVER, State
from steps.catalog.terms import Phase
from steps.stamps import local_day

BEGUN = (State.RUNNING, State.IN_PROGRESS)
NOTHING = "Nothing to do"
DRIFT = "Drift found"
TITLE_LENGTH = 60


class Shown(NamedTuple):
    """A state as Prefect shows it: its type, its name, and a sentence."""

    type: str
    name: str
    message: str = ""


def title(phase: str) -> str:
    """Return a phase's name as the dashboard shows it."""
    return "Go-live" if phase == Phase.GO_LIVE else phase.replace("_", " ").capitalize()


def shortened(words: str) -> str:
    """Return a title, short enough for a node of a graph."""
    return words if len(words) <= TITLE_LENGTH else f"{words[: TITLE_LENGTH - 1]}…"


def shown(standing: WorkStanding) -> Shown:
    """Return how a phase, or a step of it, is shown."""
    message = "; ".join(_counts(standing))
    if standing.states[State.NOT_APPLICABLE] == standing.total:
        return Shown("CANCELLED", NOTHING, message)
    if standing.is_over:
        return Shown("COMPLETED", "Done", message)
    return Shown(_type(standing), _name(standing), message)


def _type(standing: WorkStanding) -> str:
    if standing.failed:
        return "FAILED"
    if any(standing.states[state] for state in BEGUN):
        return "RUNNING"
    people = standing.to_sign + standing.again + standing.to_start + standing.releases + len(standing.orders)
    return "PAUSED" if people or standing.states[State.ON_HOLD] else "PENDING"


def _name(standing: WorkStanding) -> str:
    """Return what is failed or at work, and what is waited for, in few words."""
    ready = standing.states[State.READY] - standing.to_start - standing.releases
    software = max(0, ready - max(0, standing.to_sign - standing.states[State.AWAITING_SIGN_OFF]))
    begun = _list(
        (standing.states[State.FAILED], "{} failed", "{} failed"),
        (standing.states[State.CHECKED_NOT_MET], "{} not met", "{} not met"),
        *((standing.states[state], f"{{}} {state.words}", f"{{}} {state.words}") for state in BEGUN),
        (software, "{} ready", "{} ready"),
        (standing.states[State.ON_HOLD], "{} on hold", "{} on hold"),
    )
    waits = _list(
        (standing.to_sign + standing.again, "{} sign-off", "{} sign-offs"),
        (standing.releases, "{} release", "{} releases"),
        (standing.to_start, "{} job to start", "{} jobs to start"),
        (len(standing.orders), "{} order to place", "{} orders to place"),
        (len(standing.deliveries), "{} delivery", "{} deliveries"),
    )
    said = [begun] if begun else []
    said += [f"waits for {waits}"] if waits else []
    name = "; ".join(said) or "waits for earlier work"
    return name[0].upper() + name[1:]


def _list(*counts: tuple[int, str, str]) -> str:
    """Return the counts that are not zero: number, words for one, words for more."""
    return ", ".join((one if n == 1 else more).format(n) for n, one, more in counts if n)


def _counts(standing: WorkStanding) -> Iterator[str]:
    total = standing.total - standing.states[State.NOT_APPLICABLE]
    yield f"{standing.states[State.DONE]} of {total} done"
    if standing.again:
        yield f"{standing.again} of these to be signed again"
    for state in State:
        if state not in OVER and standing.states[state]:
            yield f"{standing.states[state]} {state.words}"


def troubles(standing: WorkStanding) -> str:
    """Return what has to be made good and what is late, in few words; empty where nothing is."""
    return _list(
        (standing.rejected, "{} rejected", "{} rejected"),
        (standing.ncrs, "{} NCR open", "{} NCRs open"),
        (standing.past, "{} past its planned finish", "{} past their planned finish"),
    )


def phase_name(phase: str, state: Shown, wrong: str, dates: str) -> str:
    """Return the name of a phase's standing run: what it waits for, what is wrong, and its dates."""
    waits = state.name[0].lower() + state.name[1:]
    return " · ".join(part for part in (title(phase), waits, wrong, dates) if part)


def phase_dates(phase: str, standing: WorkStanding, forecast: KeptForecast | None, zone: str) -> str:
    """Return when a phase is to end, as planned and as forecast; empty where nothing of it is planned, or it is over."""
    if standing.planned is None or standing.states[State.NOT_APPLICABLE] == standing.total:
        return ""
    mine = next((one for one in forecast.milestones if one.milestone == phase), None) if forecast else None
    if forecast is None or mine is None:
        return f"planned {local_day(standing.planned, zone)}"
    days = (forecast.day(one) for one in (mine.planned, mine.p50.date, mine.p80.date))
    later = max(0, forecast.days(mine.planned, mine.p50.date))
    said = _list((later, "forecast {} day later than planned", "forecast {} days later than planned"))
    dates = "planned {}, P50 {}, P80 {}".format(*days)
    return f"{said}: {dates}" if said else dates


def node_shown(state: State, before: Shown) -> Shown:
    """Return how an activity is shown that an advance has dealt with. `before` is how its task ended.

    An advance ends, and its nodes with it. So what still waits is grey and says for what; only what is done is green.
    """
    if before.name == DRIFT:
        return before
    if state is State.DONE:
        return before if before.type == "COMPLETED" else Shown("COMPLETED", "Done")
    if state in NOT_BEGUN and before.type != "COMPLETED":
        return before
    return Shown("FAILED" if state in NOT_MET else "CANCELLED", state.words.capitalize(), state.sentence)


def advance_shown(ended: Sequence[Shown]) -> Shown:
    """Return how an advance is shown that is over, from how its nodes are shown."""
    if not ended:
        return Shown("CANCELLED", NOTHING)
    types = Counter(node.type for node in ended)
    if types["COMPLETED"] == len(ended):
        return Shown("COMPLETED", "Done", f"{len(ended)} done")
    counted = Counter(node.name[0].lower() + node.name[1:] for node in ended)
    counts = ", ".join(f"{n} {name}" for name, n in counted.items())
    return Shown("FAILED" if types["FAILED"] else "CANCELLED", f"Over: {counts}")
