"""List the links between the steps of one design.

Links are bridged around steps that do not apply there. The design is that of the site, or of the preset
that is named. Outside a site it is superpod-1su.

Example:
    clusterwright catalog graph --preset superpod-1su

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.output import Cells, Document
from clusterwright.planning import read_all
from clusterwright.where import site_if_any
from schedule.errors import InputError
from steps.catalog.loader import read_catalog
from steps.design.design import design_of_preset
from steps.planning.network.expansion import expand
from steps.planning.network.step_graph import step_graph

ONE_POD = "superpod-1su"


def graph(
    ask: Asking,
    preset: Annotated[str | None, Option(help="The design of this preset.")] = None,
) -> None:
    if preset is not None and ask.site is not None:
        raise InputError("a graph is of a site or of a preset", hint="leave out --site or --preset")
    folder = None if preset is not None else site_if_any(ask.site)
    if folder is not None:
        _, design, catalog = read_all(folder)
    else:
        design, catalog = design_of_preset(preset or ONE_POD), read_catalog()
    nodes, links = step_graph(expand(catalog, design, 8.0))
    document = {
        "preset": design.preset.name,
        "nodes": [n for n in nodes if n["applies"]],
        "links": links,
        "not_applicable": [n for n in nodes if not n["applies"]],
    }
    headers = ("from", "to", "type", "lag h", "map", "reason", "bridged")
    ask.table(None, links, headers, _cells, document=lambda: document, right=(3,))


def _cells(link: Document) -> Cells:
    first = (link["from"], link["to"], link["type"], link["lag"] or "")
    return (*first, link["map"], link["reason"], " ".join(link["bridged"]))
