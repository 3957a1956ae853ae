"""Write reports from the ledger.

Example:
    clusterwright report week --format html --out week.html
    clusterwright report summary

"""

from clusterwright.commands.asking import Asking
from clusterwright.output import print_json, print_lines
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions.counts import counts
from ledger.questions.headlines import headlines
from ledger.questions.site import site_of, units
from ledger.rules.activity import State

COUNTED = ("done", "waived", "attested", "not_applicable", "open")


def summary(ask: Asking) -> None:
    """Say how the site stands: what is done, and when go-live is.

    It counts hosts, and what is done, waived, attested, not applicable and open. Then come go-live as planned and as forecast.

    Example:
        clusterwright report summary

    """
    with ask.record() as snapshot:
        found, site, top = counts(snapshot), site_of(snapshot), headlines(snapshot, lapsed_releases(snapshot))
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
        "rehearsal": site.rehearsal,
        "forecast": top.fresh.document if top.fresh else None,
        **top.document,
    }
    if ask.as_json:
        print_json(facts)
        return
    prefix = "REHEARSAL: " if site.rehearsal else ""
    marks = ", ".join(f"{facts[name]} {name.replace('_', ' ')}" for name in COUNTED)
    print(f"{prefix}{hosts} host{'' if hosts == 1 else 's'}, {marks}")
    print_lines(top.lines)
