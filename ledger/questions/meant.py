"""What somebody meant who named an activity that there is not: a step by its number, its title, or another kind of thing."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from ledger.questions.snapshot import Snapshot
from schedule.errors import InputError
from steps.amount import first_of

SHOWN = 3
"""How many ids a hint names."""

SHORTEST = 4
"""How many letters of a title say which activity is meant."""

_TITLED = """SELECT id, json_extract("plan", '$.title') FROM activity ORDER BY ordinal"""

_KINDS = (
    ("a unit", "SELECT 1 FROM unit WHERE id = :name", "list --unit {}"),
    ("an order", "SELECT 1 FROM order_line WHERE id = :name", "show '{}'"),
    ("a delivery", "SELECT 1 FROM tranche WHERE id = :name", "show '{}'"),
    ("a non-conformance", "SELECT 1 FROM ncr WHERE id = :name", "ncr show {}"),
    ("a person", "SELECT 1 FROM person WHERE id = :name", "inbox --as {}"),
)
"""Other things that have ids: what each is, how to find it, and the command that shows it."""


def activity_named(snapshot: Snapshot, name: str) -> str:
    """Return the id that somebody meant: of a step's only activity, if they named it by its number, as 195. Otherwise what they wrote."""
    found = [] if "@" in name else _of_step(snapshot, name)
    return found[0] if len(found) == 1 else name


def unknown_activity(snapshot: Snapshot, name: str) -> InputError:
    """Return the error for an activity that there is not. It says what else has this name, or which activities are like it."""
    for what, sql, command in _KINDS:
        if snapshot.first(sql, name=name) is not None:
            return InputError(f"{name!r} is {what}, not an activity", hint=f"clusterwright {command.format(name)}")
    near = list(_near(snapshot, name))
    if not near:
        return InputError(
            f"there is no activity {name!r}",
            hint="ids look like 034@pod-001; `clusterwright list --search WORD` finds them by their titles",
        )
    return InputError(f"there is no activity {name!r}", hint=f"did you mean {first_of(near, SHOWN)}?")


def _near(snapshot: Snapshot, name: str) -> Iterator[str]:
    """Yield the activities of this step, then those that have this title, and if there is none, those whose ids are alike."""
    step, _, unit = name.partition("@")
    of_step = _of_step(snapshot, step)
    if of_step:
        number = of_step[0].partition("@")[0]
        at_unit = get_close_matches(f"{number}@{unit}", of_step, n=SHOWN) if unit else []
        yield from at_unit or of_step
        return
    known = snapshot.ask(_TITLED)
    word = _squeezed(name)
    titled = []
    if len(word) >= SHORTEST:
        titled = [f"{found} ({title})" for found, title in known if word in _squeezed(title or "")]
    ids = [found for found, _ in known]
    yield from titled or get_close_matches(name, ids, n=SHOWN)


def _of_step(snapshot: Snapshot, step: str) -> list[str]:
    """Return the activities of a step, which may be written without its zeros or in lower case."""
    sql = "SELECT id FROM activity WHERE step = :step ORDER BY ordinal"
    number = step.upper().zfill(3)
    return snapshot.column(sql, step=number)


def _squeezed(text: str) -> str:
    """Return the letters and digits of a text, so that golive is like Go live."""
    return "".join(filter(str.isalnum, text)).casefold()
