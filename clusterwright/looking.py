"""Looks at the hosts of finished steps, one after the other."""

import threading
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

from flows.runs.allowing.asked import asked_by_playbook, require_allowed
from flows.runs.drift.look import Look, Place, look_for_drift
from flows.runs.inventory.sources import kept_inventory
from flows.runs.means import means_of
from flows.runs.process.place import playbooks_folder
from flows.runs.run import require_ansible
from flows.runs.secrets.access import ask_terminal
from ledger.evidence.plans import read_plan
from ledger.questions.drift import origin, to_look_at
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from schedule.errors import NotSatisfiedError


def look_at_all(folder: Path, names: Collection[str], cancel: threading.Event) -> Iterator[tuple[Look, str]]:
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
    place = Place(folder, playbooks_folder(), inventory, means_of(folder, inventory, ask_terminal))
    for name in wanted:
        with open_snapshot(folder) as snapshot:
            playbook = origin(snapshot, name).row.plan.playbook or ""
        require_allowed(folder, asked_by_playbook(place.playbooks, playbook))
        yield look_for_drift(place, plan, name, partial(open_snapshot, folder), cancel), zone
