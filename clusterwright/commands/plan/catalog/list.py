"""List every step of the catalog.

Example:
    clusterwright catalog list --phase power

"""

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import PhaseOption
from clusterwright.naming import named
from clusterwright.output import Cells, Document, print_json, table
from clusterwright.where import site_if_any
from steps.catalog.loader import Entry, read_catalog
from steps.catalog.terms import Phase

KEYS = "id title phase kind scope applies supplies links duration crew sign_off completed_by alternatives sources"


def list_(
    ask: Asking,
    phase: PhaseOption = None,
) -> None:
    if phase is not None:
        named("phase", [phase], [one.value for one in Phase])
    catalog = read_catalog(site_if_any(ask.site))
    steps = [entry for entry in catalog.values() if phase in {None, entry.step.phase}]
    if ask.as_json:
        print_json([_document(entry) for entry in steps])
        return
    table(
        (
            "step",
            "title",
            "phase",
            "kind",
            "scope",
            "playbook",
        ),
        [_cells(entry) for entry in steps],
    )


def _cells(entry: Entry) -> Cells:
    step = entry.step
    return (
        step.id,
        step.title,
        step.phase,
        step.kind,
        step.scope,
        ", ".join(step.playbooks),
    )


def _document(entry: Entry) -> Document:
    step = entry.step.model_dump(mode="json", exclude_none=True)
    same = {name: step[name] for name in KEYS.split()}
    return same | {
        "criteria": step["accept"],
        "playbook": step.get("playbook"),
        "local": entry.local,
    }
