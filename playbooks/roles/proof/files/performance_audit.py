"""Reads idle, slow and wasteful use out of the metrics database: each finding with its figure, and the owner who follows it up.

Arguments: the database's address, what to look back on, then the owners by kind of finding as JSON. It changes nothing. Where the
database has nothing to look at for one kind, the audit is not measured: what was not looked for was not found either.
"""

import json
import sys
import urllib.parse
import urllib.request

UNOWNED, SHARE = "audit.findings_without_owner", "audit.affected_share"
NAMED = 5
"""How many findings of a kind are named; the others are counted."""

FINDINGS = {
    "idle": ("processors idle", '1 - sum by (instance) (rate(node_cpu_seconds_total{{mode="idle",group="compute"}}[{w}])) / sum by (instance) (rate(node_cpu_seconds_total{{group="compute"}}[{w}]))', "< 0.05"),
    "memory": ("memory short", "min_over_time(node_memory_MemAvailable_bytes[{w}]) / node_memory_MemTotal_bytes", "< 0.1"),
    "loader": ("waits for data", "max_over_time(training_loader_wait_share[{w}])", "> 0.3"),
    "imbalance": ("waits for others", "avg_over_time(training_collective_seconds[{w}]) / avg_over_time(training_step_seconds[{w}])", "> 0.3"),
    "degraded": ("slower than its like", "avg_over_time(anomaly:speed_probe:ratio[{w}])", "> 1.2"),
}  # fmt: skip
"""Kinds of findings: in words, what is looked at, and what makes it a finding."""


def series(url: str, query: str) -> list[dict]:
    """Return the series that a query finds."""
    with urllib.request.urlopen(f"{url}/api/v1/query?{urllib.parse.urlencode({'query': query})}", timeout=30) as answer:
        return json.load(answer)["data"]["result"]


def judge(looked: dict[str, list[dict]], found: dict[str, list[dict]], owners: dict[str, str]) -> dict:
    """Return how many findings nobody owns, and the largest share of a kind's servers or runs that have its finding.

    An owner does not make waste good: of a few findings somebody sees to each, of many the cluster is used badly. Not measured where
    a kind could not be looked for.
    """
    if unseen := [kind for kind, seen in looked.items() if not seen]:
        nothing = {"value": None, "note": f"the metrics database has nothing to look at for: {', '.join(unseen)}"}
        return {UNOWNED: nothing, SHARE: nothing}
    said, unowned = [], 0
    for kind, ones in found.items():
        owner = owners.get(kind, "")
        unowned += 0 if owner else len(ones)
        words = [
            f"{where(one)} {FINDINGS[kind][0]} ({float(one['value'][1]):.3g}): {owner or 'nobody'}" for one in ones
        ]
        said += [*words[:NAMED], *([f"{len(words) - NAMED} more of {FINDINGS[kind][0]}"] if len(words) > NAMED else [])]
    shares = {kind: len(found[kind]) / len(looked[kind]) for kind in looked}
    worst = max(shares, key=lambda kind: shares[kind])
    share = f"{FINDINGS[worst][0]}: {len(found[worst])} of {len(looked[worst])}"
    return {
        UNOWNED: {"value": unowned, "note": "; ".join(said) or "no findings"},
        SHARE: {"value": round(shares[worst] * 100, 1), "note": share},
    }


def where(one: dict) -> str:
    """Return the server or the run that a finding is of."""
    return " ".join(one["metric"][name] for name in ("instance", "run", "rank") if name in one["metric"])


def main() -> None:
    """Look for each kind of finding, and count them."""
    url, window, owners = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    queries = {kind: query.format(w=window) for kind, (_, query, _) in FINDINGS.items()}
    looked = {kind: series(url, query) for kind, query in queries.items()}
    found = {kind: series(url, f"{query} {FINDINGS[kind][2]}") for kind, query in queries.items()}
    print(json.dumps(judge(looked, found, owners)))


if __name__ == "__main__":
    main()
