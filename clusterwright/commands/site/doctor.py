"""Check this machine and the site's own files, or with --engine the site's engines.

It looks at Python, packages, tools, ports and disk, and says how to fix each fault. --fix does what can be done here. --engine
compares the dashboard with the ledger, and lists engines, leases, reservations, and how long a decision takes to start work.

Example:
    clusterwright doctor
    clusterwright doctor --fix
    clusterwright doctor --engine

"""

from operator import attrgetter
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.engine_health import engine_health, print_engines
from clusterwright.health import checks, fixed
from clusterwright.health_check import FAULT, OK, Check
from clusterwright.output import say, table
from schedule.errors import NotSatisfiedError


def doctor(
    ask: Asking,
    fix: Annotated[bool, Option("--fix", help="Fix what can be fixed here.")] = False,
    engine: Annotated[bool, Option("--engine", help="Look at the site's engines instead.")] = False,
) -> None:
    if engine:
        _engine(ask)
        return
    found = checks(ask.site)
    if fix:
        for check in found:
            if check.state != OK and (done := fixed(check, ask.site)):
                say(f"{check.name}: {done}")
        found = checks(ask.site)
    ask.answer(None, found, lambda: _print(found))
    if faults := _faults(found):
        raise NotSatisfiedError(f"not in order: {faults}")


def _engine(ask: Asking) -> None:
    health = engine_health(ask.folder)

    def in_words() -> None:
        _print(health.checks)
        print_engines(health)

    ask.answer(None, health, in_words)
    if faults := _faults(health.checks):
        raise NotSatisfiedError(f"not as the ledger says: {faults}")


def _print(found: list[Check]) -> None:
    cells = attrgetter("name", "state", "found", "remedy")
    table(("check", "state", "found", "to fix it"), map(cells, found))


def _faults(found: list[Check]) -> str:
    return ", ".join(check.name for check in found if check.state == FAULT)
