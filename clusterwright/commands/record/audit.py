"""Verify the record; exit code 1 on a fault.

It verifies the hash chain, the evidence, every decision by the rules, every projection against a replay, and anchors.

Example:
    clusterwright audit
    clusterwright audit --anchor /srv/anchors.jsonl

"""

from typing import Annotated

from typer import Option

from clusterwright.audit_view import lines
from clusterwright.commands.asking import Asking
from clusterwright.output import print_json, table
from ledger.trust.anchor_words import read_anchors
from ledger.trust.audit import audit as audited
from steps.errors import NotSatisfiedError


def audit(
    ask: Asking,
    anchor: Annotated[
        list[str] | None,
        Option(help="A file, a git repository or a code of `anchor`; more than once.", metavar="WHICH"),
    ] = None,
) -> None:
    known = [found for named in anchor or () for found in read_anchors(named)]
    found = audited(ask.folder, known)
    holding, up_to = found.anchors.holding, found.anchors.up_to
    if ask.as_json:
        anchors = {"holding": holding, "up_to": up_to}
        print_json(
            {
                "events": found.events,
                "head": found.head,
                "anchors": anchors,
                "rules": found.rules,
                "refused": found.refused,
                "unwitnessed": found.unwitnessed,
                "findings": list(found),
            }
        )
    else:
        print(f"{found.events} events, head {found.head[:16]}, {len(found)} findings")
        if holding:
            print(f"{holding} anchors hold, the newest of event {up_to}")
        for line in lines(found):
            print(line)
        if found:
            table(("where", "what"), [(f.where, f.message) for f in found])
    if found:
        raise NotSatisfiedError(f"the ledger has {len(found)} faults")
