"""Say in one line how the site ended.

It counts hosts, and what is done, waived, attested, not applicable and open.

Example:
    clusterwright report summary

"""

from clusterwright.commands.asking import Asking
from clusterwright.output import print_json
from ledger.questions.counts import counts
from ledger.questions.site import site_of, units
from ledger.rules.activity import State


def summary(ask: Asking) -> None:
    with ask.record() as snapshot:
        found, rehearsal = counts(snapshot), site_of(snapshot).rehearsal
        hosts_of_units = (len(unit.hosts + unit.shared) for unit in units(snapshot))
        hosts = max(hosts_of_units, default=0)
    done = found.by_state.get(State.DONE, 0)
    not_applicable = found.by_state.get(State.NOT_APPLICABLE, 0)
    facts = {
        "hosts": hosts,
        "done": done,
        "waived": found.waived,
        "attested": found.attested,
        "not_applicable": not_applicable,
        "open": found.total - done - not_applicable,
        "rehearsal": rehearsal,
    }
    if ask.as_json:
        print_json(facts)
        return
    prefix = "REHEARSAL: " if rehearsal else ""
    marks = ", ".join(f"{facts[name]} {name.replace('_', ' ')}" for name in list(facts)[1:-1])
    print(f"{prefix}{hosts} host{'' if hosts == 1 else 's'}, {marks}")
