"""Check this machine and the site's own files.

It looks at Python, packages, tools, ports and disk, and says how to fix each fault. --fix does what can be done here.

Example:
    clusterwright doctor
    clusterwright doctor --fix

"""

from operator import attrgetter
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.health import checks, fixed
from clusterwright.health_check import FAULT, OK
from clusterwright.output import print_json, say, table
from schedule.errors import NotSatisfiedError


def doctor(
    ask: Asking,
    fix: Annotated[bool, Option("--fix", help="Fix what can be fixed here.")] = False,
) -> None:
    found = checks(ask.site)
    if fix:
        for check in found:
            if check.state != OK and (done := fixed(check, ask.site)):
                say(f"{check.name}: {done}")
        found = checks(ask.site)
    if ask.as_json:
        print_json(found)
    else:
        cells = attrgetter("name", "state", "found", "remedy")
        table(("check", "state", "found", "to fix it"), map(cells, found))
    faults = [c.name for c in found if c.state == FAULT]
    if faults:
        raise NotSatisfiedError("this machine lacks: " + ", ".join(faults))
