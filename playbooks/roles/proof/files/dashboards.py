"""Proves that Grafana shows something: counts the panels that it does not have as they are kept, or that find no series through it.

Arguments: Grafana's address on this host, then the folder of the dashboards. Whether the metrics database has the series says nothing of
what people see: every question goes through Grafana, its account and its data source. A dashboard that does not parse ends the proof.
"""

import base64
import json
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

METRIC = "dashboard.panels_without_data"
PASSWORD = Path("/etc/clusterwright/secrets/grafana")
SOURCE = "metrics"
"""The data source's uid, as the role `grafana` provisions it."""


def said(url: str, path: str) -> dict:
    """Return what Grafana answers to its administrator; nothing where it has no such thing, or its data source fails."""
    login = base64.b64encode(f"admin:{PASSWORD.read_text().strip()}".encode()).decode()
    request = urllib.request.Request(f"{url}{path}", headers={"Authorization": f"Basic {login}"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            raise
        return {}


def questions(panel: dict) -> list[str]:
    """Return what a panel asks the metrics database."""
    return [target["expr"] for target in panel.get("targets", [])]


def has_data(url: str, expression: str) -> bool:
    """Say whether Grafana finds a series for a question."""
    query = urllib.parse.urlencode({"query": expression})
    found = said(url, f"/api/datasources/proxy/uid/{SOURCE}/api/v1/query?{query}")
    return bool(found.get("data", {}).get("result"))


def empty_panels(url: str, board: dict) -> list[str]:
    """Return the panels of a dashboard of which people see nothing, each with why."""
    shown = said(url, f"/api/dashboards/uid/{board['uid']}").get("dashboard", {})
    there = {panel.get("title"): questions(panel) for panel in shown.get("panels", [])}
    empty = []
    for panel in board["panels"]:
        asks = questions(panel)
        if there.get(panel["title"]) != asks:
            empty.append(f"{board['title']}: {panel['title']} (not in Grafana as it is kept)")
        elif not asks or not all(has_data(url, expression) for expression in asks):
            empty.append(f"{board['title']}: {panel['title']}")
    return empty


def judge(url: str, boards: list[dict]) -> dict:
    """Return how many panels show nothing; not measured where Grafana does not answer or refuses its administrator."""
    try:
        empty = [name for board in boards for name in empty_panels(url, board)]
    except urllib.error.HTTPError as error:
        return {"value": None, "note": f"Grafana refuses its administrator: {error}"}
    except OSError as error:
        return {"value": None, "note": f"no Grafana answers at {url}: {error}"}
    note = "; ".join(empty) or f"{sum(len(board['panels']) for board in boards)} panels of {len(boards)} dashboards"
    return {"value": len(empty), "note": note}


def main() -> None:
    """Ask for each panel."""
    url, folder = sys.argv[1], Path(sys.argv[2])
    boards = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]
    if len({board["uid"] for board in boards}) < len(boards):
        raise SystemExit("two dashboards have one id")
    print(json.dumps({METRIC: judge(url, boards)}))


if __name__ == "__main__":
    main()
