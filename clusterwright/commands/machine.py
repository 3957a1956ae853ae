"""`clusterwright doctor`: what this machine lacks for what it would do."""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.options import JsonOption, SiteOption
from steps.errors import NotSatisfiedError


def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended here.")] = False,
    site: SiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check Python, packages, tools, ports, disk and the site's own files; say how to mend each."""
    from clusterwright.health import FAULT, checks, mend
    from clusterwright.output import print_json, say, table

    found = checks(site)
    if fix:
        for check in found:
            if check.state != "ok" and (done := mend(check, site)):
                say(f"{check.name}: {done}")
        found = checks(site)
    if as_json:
        print_json(found)
    else:
        table(("check", "state", "found", "to mend it"), [(c.name, c.state, c.found, c.remedy) for c in found])
    faults = [c.name for c in found if c.state == FAULT]
    if faults:
        raise NotSatisfiedError("this machine lacks: " + ", ".join(faults))
