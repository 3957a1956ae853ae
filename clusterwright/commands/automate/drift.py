"""Look whether hosts still are as finished steps have set them.

The playbooks of these steps run in check mode, over hosts on which no run is at work, and nothing is changed or recorded. It names
each host, file and line that differs, what set it and who released that, and whether the host or the playbook was changed since.
Exit code 1 if something differs, 3 if a host could not be looked at.

Example:
    clusterwright drift
    clusterwright drift 143@site 167@pod-001

"""

import threading
from typing import Annotated

from typer import Argument

from clusterwright.commands.asking import Asking
from clusterwright.looking import look_at_all
from clusterwright.output import Document, clean, print_json, say
from flows.runs.drift.look import Look
from flows.runs.drift.text import told
from ledger.private import private_files
from schedule.errors import NotSatisfiedError, UnreachableError

WHICH = Argument(metavar="[STEP@UNIT]...", help="Finished steps that change hosts; all if none is named.")


def drift(ask: Asking, activities: Annotated[list[str] | None, WHICH] = None) -> None:
    looks = []
    with private_files():
        for look, zone in look_at_all(ask.folder, activities or (), threading.Event()):
            looks.append(look)
            if not ask.as_json:
                print("\n".join(map(clean, told(look, zone))), flush=True)
    if ask.as_json:
        print_json([_document(look) for look in looks])
    if not looks:
        say("no finished step has changed hosts")
    differing = [look.origin.row.id for look in looks if look.findings]
    if differing:
        raise NotSatisfiedError(
            f"hosts differ from what {', '.join(differing)} set; nothing was changed",
            hint="`reopen` and a release undo it; what is to stay goes into the inventory or the playbook first",
        )
    unseen = sorted({host for look in looks for host in look.passed_over})
    if unseen:
        raise UnreachableError(f"not looked at: {', '.join(unseen)}", hint="look again when no run is at work there")


def _document(look: Look) -> Document:
    run, release = look.origin.run, look.origin.release
    return {
        "activity": look.origin.row.id,
        "title": look.origin.row.plan.title,
        "summary": look.summary,
        "hosts": look.hosts,
        "findings": look.findings,
        "not_looked_at": look.passed_over,
        "run": run.id,
        "run_settled_at": run.settled_at,
        "released_by": release and release.by,
        "released_at": release and release.at,
        "sign_offs": look.origin.signed,
        "digest_of_run": run.playbook_digest,
        "digest_now": look.digest,
    }
