"""Reads idle, slow and wasteful use out of the metrics database: each finding with its figure, and the owner who follows it up.

Arguments: the database's address, what to look back on, then the owners by kind of finding as JSON. It changes nothing. Where the
database has nothing to look at for one kind, the audit is not measured: what was not looked for was not found either.
"""

import json
import sys
import urllib.parse
import urllib.request

FINDINGS = {
    "idle": ("processors idle", '1 - avg by (instance) (rate(node_cpu_seconds_total{{mode="idle",group="compute"}}[{w}]))', "< 0.05"),
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


def judge(found: dict[str, list[dict]], unseen: list[str], owners: dict[str, str]) -> dict:
    """Return how many findings nobody owns, with each in words; not measured where a kind could not be looked for."""
    if unseen:
        return {"value": None, "note": f"the metrics database has nothing to look at for: {', '.join(unseen)}"}
    said, unowned = [], 0
    for kind, ones in found.items():
        for one in ones:
            labels = one["metric"]
            where = " ".join(labels[name] for name in ("instance", "run", "rank") if name in labels)
            owner = owners.get(kind, "")
            unowned += not owner
            said.append(f"{where} {FINDINGS[kind][0]} ({float(one['value'][1]):.3g}): {owner or 'nobody'}")
    return {"value": unowned, "note": "; ".join(said) or "no findings"}


def main() -> None:
    """Look for each kind of finding, and count those that nobody owns."""
    url, window, owners = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    looked = {kind: query.format(w=window) for kind, (_, query, _) in FINDINGS.items()}
    unseen = [kind for kind, query in looked.items() if not series(url, query)]
    found = {kind: series(url, f"{query} {FINDINGS[kind][2]}") for kind, query in looked.items()}
    print(json.dumps({"audit.findings_without_owner": judge(found, unseen, owners)}))


if __name__ == "__main__":
    main()
