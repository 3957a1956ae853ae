"""Proves that no storage target is slow among the others: holds the slowest against the median.

Argument: GB/s of each target of each server, as JSON: `{"storage-1": {"1": 3.2}}`. A server that was not measured has null.
"""

import json
import statistics
import sys

METRIC = "ost.slowest_over_median"


def main() -> None:
    """Compare the targets."""
    servers = json.loads(sys.argv[1])
    lacking = [server for server, targets in servers.items() if not targets]
    rates = {f"{server} {name}": rate for server, targets in servers.items() for name, rate in (targets or {}).items()}
    if lacking or not rates:
        print(json.dumps({METRIC: {"value": None, "note": f"not measured: {', '.join(lacking) or 'every server'}"}}))
        return
    slowest, median = min(rates, key=lambda name: rates[name]), statistics.median(rates.values())
    note = f"slowest: {slowest} with {rates[slowest]:.3f} GB/s; median of {len(rates)} targets {median:.3f} GB/s"
    print(json.dumps({METRIC: {"value": round(rates[slowest] / median, 3), "note": note}}))


if __name__ == "__main__":
    main()
