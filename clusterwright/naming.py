"""Values of options that name things: several with commas between them, each of them known."""

import difflib
from collections.abc import Collection, Iterable

from ledger.questions.people import organisations_on_record
from ledger.questions.snapshot import Snapshot
from ledger.rules.permission import is_same
from schedule.errors import InputError
from schedule.meant import did_you_mean
from steps.amount import first_of
from steps.catalog.terms import Phase

SHOWN = 12


def named(what: str, given: Iterable[str] | None, known: Collection[str]) -> frozenset[str]:
    """Return the names that an option has, none of them twice. Raise InputError for one that is not known, with those next to it."""
    names = [name.strip() for text in given or () for name in text.split(",")]
    for name in names:
        if name not in known:
            raise InputError(f"{name!r} is no {what}", hint=_hint(what, name, known))
    return frozenset(names)


def require_phase(phase: str | None) -> None:
    """Raise InputError for a phase that there is not."""
    if phase is not None:
        named("phase", [phase], [one.value for one in Phase])


def known_organisation(snapshot: Snapshot, name: str | None) -> str | None:
    """Return an organisation or a supplier as the site writes it; None for none. Raise InputError if the record has nothing of it."""
    if name is None:
        return None
    known = organisations_on_record(snapshot)
    same = next((one for one in known if is_same(name, one)), None)
    if same is None:
        raise InputError(f"{name!r} is no organisation of this site", hint=_hint("organisation", name, known))
    return same


def _hint(what: str, name: str, known: Collection[str]) -> str:
    folded = {_folded(one): one for one in known}
    close = [folded[one] for one in difflib.get_close_matches(_folded(name), folded)]
    return did_you_mean(close) or f"{what}s: {first_of(sorted(known), SHOWN) or 'none'}"


def _folded(name: str) -> str:
    """Return a name as it is compared with others: `Network Engineer` is like network-engineer."""
    return name.casefold().replace("_", " ").replace("-", " ")
