"""Proves that dashboards show something: counts the panels of which no query finds a series in the metrics database.

Arguments: the database's address, then the folder of the dashboards. A dashboard that does not parse, or whose panel asks
nothing, ends the proof.
"""

import json
import sys
from pathlib import Path

from series_found import is_found


def main() -> None:
    """Ask for each panel."""
    url, folder = sys.argv[1], Path(sys.argv[2])
    empty, panels, ids = [], 0, set()
    for file in sorted(folder.glob("*.json")):
        board = json.loads(file.read_text(encoding="utf-8"))
        if board["uid"] in ids:
            raise SystemExit(f"two dashboards have the id {board['uid']}")
        ids.add(board["uid"])
        for panel in board["panels"]:
            panels += 1
            if not all(is_found(url, target["expr"]) for target in panel["targets"]) or not panel["targets"]:
                empty.append(f"{board['title']}: {panel['title']}")
    note = "; ".join(empty) or f"{panels} panels of {len(ids)} dashboards"
    print(json.dumps({"dashboard.panels_without_data": {"value": len(empty), "note": note}}))


if __name__ == "__main__":
    main()
