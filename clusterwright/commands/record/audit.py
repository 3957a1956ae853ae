"""Verify the record; exit code 1 on a fault, 3 if only ledger or database could not be reached.

It verifies the hash chain, the evidence, every decision by the rules, every projection against a replay, and anchors.

Example:
    clusterwright audit
    clusterwright audit --anchor /srv/anchors.jsonl
    clusterwright audit --keep-checkpoint
    clusterwright audit --from-checkpoint

"""

from collections.abc import Iterator
from typing import Annotated

from typer import Option

from clusterwright import __version__
from clusterwright.commands.asking import Asking
from clusterwright.output import print_json, table
from ledger.questions.site import RAISE
from ledger.rules.version import RULES
from ledger.trust.anchor_words import read_anchors
from ledger.trust.audit import Findings
from ledger.trust.audit import audit as audited
from ledger.trust.chain import DATABASE
from ledger.trust.checkpoint import Checkpoint
from schedule.errors import InputError, NotSatisfiedError, UnreachableError
from steps.amount import counted, first_of
from steps.stamps import stamp

NAMED = 20
"""How many refused events a line names."""


def audit(
    ask: Asking,
    anchor: Annotated[
        list[str] | None,
        Option(
            help="A file or a git repository that `anchor` wrote to, or a code that an earlier release printed; more than once.",
            metavar="WHICH",
        ),
    ] = None,
    keep_checkpoint: Annotated[
        bool,
        Option("--keep-checkpoint", help="Without a fault, keep the replay in your own folder for the next audit."),
    ] = False,
    from_checkpoint: Annotated[
        bool,
        Option("--from-checkpoint", help="Begin after the last event that was kept. Earlier ones are not read again."),
    ] = False,
) -> None:
    if keep_checkpoint and from_checkpoint:
        raise InputError(
            "only an audit of the whole ledger is kept", hint="use --keep-checkpoint or --from-checkpoint alone"
        )
    known = [found for named in anchor or () for found in read_anchors(named)]
    found = audited(
        ask.folder,
        known,
        program=__version__,
        keep_checkpoint=keep_checkpoint,
        from_checkpoint=from_checkpoint,
    )
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
                "checkpoint": _as_json(found.checkpoint),
                "findings": list(found),
            }
        )
    else:
        findings = counted(len(found), "finding")
        print(f"{found.events} events, head {found.head[:16]}, {findings}")
        if found.checkpoint is not None:
            print(found.checkpoint.words(found.zone))
        if holding:
            print(f"anchors that hold: {holding}, the newest of event {up_to}")
        for line in _lines(found):
            print(line)
        if found:
            table(("where", "what"), [(f.where, f.message) for f in found])
    if [finding.where for finding in found] == [DATABASE]:
        raise UnreachableError(
            f"the folder's copy is whole, and was not compared with all that the database has: {found[0].message}"
        )
    if found:
        raise NotSatisfiedError(f"the ledger has {counted(len(found), 'fault')}")


def _as_json(checkpoint: Checkpoint | None) -> dict[str, object] | None:
    """Return which events were audited earlier. None if all were audited now."""
    if checkpoint is None:
        return None
    kept = checkpoint._asdict()
    return {name: kept[name] for name in ("seq", "hash", "rules", "program", "account")} | {
        "audited_at": stamp(checkpoint.audited_at)
    }


def _lines(found: Findings) -> Iterator[str]:
    """Yield what an audit found out besides faults. Nothing if the events could not be replayed."""
    for rules, first, last in found.rules:
        yield f"events {first} to {last}: judged by version {rules} of the rules"
    if found.rules and found.rules[-1].rules < RULES:
        yield f"this program knows version {RULES} of the rules; the owner puts it in force: {RAISE}"
    if found.refused:
        yield f"refused, and changed nothing: events {first_of(found.refused, NAMED)}"
    if found.unwitnessed:
        events = counted(found.unwitnessed, "event")
        yield f"no signature or anchor witnesses {events} yet: `clusterwright anchor` publishes the head"
    elif found.unwitnessed == 0:
        yield "a signature or an anchor witnesses every event"
