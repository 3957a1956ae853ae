"""Match the hosts of the inventory with the planned nodes.

It lists which host is which node and by what, and what does not match. NetBox is asked anew. Where a server was replaced, so that its serial
number is not the one on record, it lists the finished work that measured the one before: open it again.

Example:
    clusterwright inventory

"""

from collections import Counter
from shlex import quote

from clusterwright.commands.asking import Asking
from clusterwright.matching import matching_of, measured_on_servers, serials_on_record
from clusterwright.output import Document, print_json, say, table
from clusterwright.planning import read_all
from flows.runs.inventory.hosts import NO_NODES
from schedule.errors import InputError, NotSatisfiedError, Place
from steps.design.matching import Matching


def inventory(ask: Asking) -> None:
    folder = ask.folder
    chosen, design, _ = read_all(folder)
    if chosen.inventory is None:
        raise InputError(
            "this site has no inventory", hint="name one in site.yaml", place=Place("site.yaml", None, "inventory")
        )
    matching = matching_of(folder, chosen.inventory, design, serials_on_record(folder))
    measured = measured_on_servers(folder, {pair.node.pod for pair in matching.pairs if pair.other_serial})
    if ask.as_json:
        print_json(_document(matching) | {"measured_before": measured})
    else:
        _print(matching)
        for pod, activities in measured.items():
            say(f"{pod}: measured on the server that was there: {', '.join(activities) or 'nothing'}")
    shared = [each for found in matching.ambiguous for each in found.because]
    twice = [each for each in shared if len(each.hosts) > 1]
    if twice:
        raise InputError(
            f"hosts share what is one host's: {'; '.join(map(str, twice))}",
            hint="correct `serial_number` or `bmc_address` where the host is written",
        )
    if found := _faults(matching):
        again = [_reopening(matching, pod, activities) for pod, activities in measured.items() if activities]
        hint = "what does not match waits; all else goes on"
        if matching.hosts_left:
            hint += f"; what is no node is in one of the groups {', '.join(NO_NODES)}"
        if again:
            hint = f"where a server was replaced: {'; '.join(again)}"
        raise NotSatisfiedError(f"not matched: {', '.join(found)}", hint=hint)


def _print(matching: Matching) -> None:
    in_order = "dealt in order of the inventory: no name, serial number or BMC address of a host is a planned node's"
    keys = Counter(key for pair in matching.pairs for key in pair.by)
    by = in_order if matching.in_order else ", ".join(f"{count:,} by {key}" for key, count in keys.items())
    matched = len(matching.pairs)
    say(f"{'1 node has' if matched == 1 else f'{matched:,} nodes have'} a host: {by}")
    table(
        ("planned node", "pod", "host", "matched by", ""),
        [
            (
                pair.node.name,
                pair.node.pod,
                pair.host.name,
                ", ".join(pair.by),
                _doubt(pair.node.serial, pair.host.serial) if pair.other_serial else "",
            )
            for pair in matching.pairs
        ],
    )
    if matching.nodes_left:
        table(("planned node without host", "pod", "BMC address", "serial number"), matching.nodes_left)
    if matching.hosts_left:
        table(("host without planned node", "BMC address", "serial number", "stated by"), matching.hosts_left)
    if matching.ambiguous:
        rows = []
        for number, found in enumerate(matching.ambiguous, 1):
            rows += [(number, shared) for shared in found.because]
        table(("", "ambiguous"), rows)


def _document(matching: Matching) -> Document:
    return {
        "in_order": matching.in_order,
        "pairs": [
            {
                "node": pair.node.name,
                "pod": pair.node.pod,
                "host": pair.host.name,
                "by": pair.by,
                "other_serial": pair.other_serial,
            }
            for pair in matching.pairs
        ],
        "nodes_without_host": matching.nodes_left,
        "hosts_without_node": matching.hosts_left,
        "ambiguous": [
            {
                "nodes": [node.name for node in found.nodes],
                "hosts": [host.name for host in found.hosts],
                "because": found.because,
            }
            for found in matching.ambiguous
        ],
    }


def _faults(matching: Matching) -> list[str]:
    """Return what does not match, counted."""
    counts = {
        "planned nodes without host": len(matching.nodes_left),
        "hosts without planned node": len(matching.hosts_left),
        "ambiguous": len(matching.ambiguous),
        "serial numbers that are not those on record": sum(pair.other_serial for pair in matching.pairs),
    }
    return [f"{what} {count:,}" for what, count in counts.items() if count]


def _reopening(matching: Matching, pod: str, activities: list[str]) -> str:
    """Return the command by which what was measured on a pod's servers is measured on those alone that were replaced."""
    hosts = [f"--host {quote(pair.host.name)}" for pair in matching.pairs if pair.other_serial and pair.node.pod == pod]
    return f"`clusterwright reopen {' '.join([*activities, *hosts])} --reason 'RMA NUMBER'`"


def _doubt(recorded: str | None, stated: str | None) -> str:
    return f"on record is serial number {recorded}, the inventory says {stated}"
