"""Show what the engine would send now by notify.yaml, or try its addresses.

notify.yaml beside site.yaml says who is notified where, and of what. A running engine sends by itself.

Example:
    clusterwright notify --dry-run
    clusterwright notify --test

"""

from typing import Annotated, NamedTuple

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.output import say
from flows.notify.messages import Message, due_messages, refuse_rules_of_nobody
from flows.notify.sent_notices import remembered
from flows.notify.settings import NotifyFile, read_settings, resolved
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions.site import site_of
from schedule.errors import InputError, UnreachableError


class Trial(NamedTuple):
    """What became of a test message."""

    address: str
    arrived: bool
    because: str


def notify(
    ask: Asking,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would be sent now, and send nothing.")] = False,
    test: Annotated[bool, Option("--test", help="Send a test message to each address.")] = False,
) -> None:
    if dry_run == test:
        raise InputError("say either --dry-run or --test", hint="`clusterwright up` sends what is due")
    settings = read_settings(ask.folder)
    with ask.record() as snapshot:
        site = site_of(snapshot)
        if site.rehearsal:
            raise InputError("a rehearsal notifies nobody")
        refuse_rules_of_nobody(snapshot, settings)
        if dry_run:
            found = due_messages(snapshot, settings, remembered(ask.folder), lapsed_releases(snapshot))
            ask.answer(snapshot, found, lambda: _show(found))
            return
    _report(ask, _tried(settings, site.name))


def _show(found: list[Message]) -> None:
    for message in found:
        print(f"to {message.address}: {message.title}\n\n{message.body}\n")
    if not found:
        say("nothing is to be sent now")


def _tried(settings: NotifyFile, site: str) -> list[Trial]:
    """Send a test message to each address. Return what became of it."""
    from flows.notify.delivery import Service  # apprise takes long to import

    services = {name: Service(name, resolved(name, given)) for name, given in settings.addresses.items()}
    trials = []
    for name, service in services.items():
        why = service.send(
            f"{site}: test", f"This is a test of the address {name}. Nothing waits for you because of it."
        )
        trials.append(Trial(name, not why, why))
    return trials


def _report(ask: Asking, trials: list[Trial]) -> None:
    headers = ("address", "arrived", "")
    ask.table(None, trials, headers, lambda one: (one.address, "yes" if one.arrived else "no", one.because))
    failed = [one.address for one in trials if not one.arrived]
    if failed:
        raise UnreachableError(
            f"{len(failed)} of {len(trials)} addresses took no message: {', '.join(failed)}",
            hint="look at the address in notify.yaml, and whether this machine reaches the service",
        )
