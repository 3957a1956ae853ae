"""List the roles that a person, crew or policy may name.

Example:
    clusterwright catalog roles

"""

from clusterwright.commands.asking import Asking
from clusterwright.output import print_json, table
from clusterwright.where import site_if_any
from steps.catalog.loader import read_roles


def roles(ask: Asking) -> None:
    known = read_roles(site_if_any(ask.site))
    if ask.as_json:
        print_json(known)
    else:
        signs = {True: "signs", False: ""}
        rows = [(slug, role["title"], signs[bool(role["signs"])]) for slug, role in known.items()]
        table(("role", "title", ""), rows)
