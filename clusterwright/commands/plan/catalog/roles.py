"""List the roles that a person, crew or policy may name.

Example:
    clusterwright catalog roles

"""

from collections.abc import Mapping
from typing import Any

from clusterwright.commands.asking import Asking
from clusterwright.output import Cells, print_json, table
from clusterwright.where import site_if_any
from steps.catalog.loader import read_roles


def roles(ask: Asking) -> None:
    known = read_roles(site_if_any(ask.site))
    if ask.as_json:
        print_json(known)
    else:
        rows = [_cells(slug, role) for slug, role in known.items()]
        table(("role", "title", ""), rows)


def _cells(slug: str, role: Mapping[str, Any]) -> Cells:
    return slug, role["title"], "signs" if role["signs"] else ""
