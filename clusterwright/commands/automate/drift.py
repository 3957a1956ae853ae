"""Look whether hosts still are as finished steps have set them.

The playbooks of these steps run in check mode, over hosts on which no run is at work, and nothing is changed or recorded. It names
each host, file and line that differs, what set it and who released that, and whether the host or the playbook was changed since.
Exit code 1 if something differs, 3 if a host could not be looked at.

Example:
    clusterwright drift
    clusterwright drift 143@site 167@pod-001

"""

import threading
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

from typer import Argument

from clusterwright.commands.asking import Asking
from clusterwright.output import Document, clean, print_json, say
from flows.runs.allowing.asked import asked_by_playbook, require_allowed
from flows.runs.drift.look import Look, Place, look_for_drift
from flows.runs.drift.text import told
from flows.runs.inventory.sources import kept_inventory
from flows.runs.means import means_of
from flows.runs.process.place import playbooks_folder
from flows.runs.run import require_ansible
from ledger.evidence.plans import read_plan
from ledger.private import private_files
from ledger.questions.drift import origin, to_look_at
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from schedule.errors import NotSatisfiedError, UnreachableError

WHICH = Argument(metavar="[STEP@UNIT]...", help="Finished steps that change hosts; all if none is named.")


def drift(ask: Asking, activities: Annotated[list[str] | None, WHICH] = None) -> None:
    looks = []
    with private_files():
        for look, zone in _looks(ask.folder, activities or ()):
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
        raise UnreachableError(
            f"not looked at: {', '.join(unseen)}", hint="look again when that is over: why is said of each host"
        )


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


def _looks(folder: Path, names: Collection[str]) -> Iterator[tuple[Look, str]]:
    """Yield the look at each of these activities, or of all finished ones that have changed hosts, and the site's time zone.

    Raise before the first look for an activity that cannot be looked at.
    """
    inventory = kept_inventory(folder)
    if inventory is None:
        raise NotSatisfiedError("there is no inventory whose hosts could be looked at", hint="`inventory` in site.yaml")
    require_ansible()
    with open_snapshot(folder) as snapshot:
        wanted = [origin(snapshot, name).row.id for name in names] or [row.id for row in to_look_at(snapshot)]
        plan, zone = read_plan(snapshot), site_of(snapshot).time_zone
    place = Place(folder, playbooks_folder(), inventory, means_of(folder, inventory))
    for name in wanted:
        with open_snapshot(folder) as snapshot:
            playbook = origin(snapshot, name).row.plan.playbook or ""
        require_allowed(folder, asked_by_playbook(place.playbooks, playbook))
        yield look_for_drift(place, plan, name, partial(open_snapshot, folder), threading.Event()), zone
