"""Proves that a run can be repeated from its record: two runs filed under two names have the same terms and the same loss.

Arguments: the tracking service's address, then the names of the run and of its repetition.
"""

import base64
import json
import sys
import urllib.request
from pathlib import Path

LOGIN = Path("/etc/clusterwright/secrets/tracking.env")
OWN = {"run"}


def runs(url: str) -> list[dict]:
    """Return the runs, the newest first, as the account of training runs sees them."""
    account = ":".join(word.partition("=")[2] for word in LOGIN.read_text().splitlines())
    headers = {
        "Authorization": f"Basic {base64.b64encode(account.encode()).decode()}",
        "Content-Type": "application/json",
    }

    def call(path: str, body: dict | None = None) -> dict:
        text = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"{url}/api/2.0/mlflow/{path}", text, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    experiment = call("experiments/get-by-name?experiment_name=clusterwright")["experiment"]["experiment_id"]
    asked = {"experiment_ids": [experiment], "order_by": ["start_time DESC"], "max_results": 100}
    return call("runs/search", asked)["runs"]


def record(run: dict) -> tuple[dict, float]:
    """Return a run's settings without its name, and its last loss."""
    terms = {p["key"]: p["value"] for p in run["data"]["params"] if p["key"] not in OWN}
    (loss,) = (m["value"] for m in run["data"]["metrics"] if m["key"] == "loss")
    return terms, loss


def main() -> None:
    """Compare the run with its repetition."""
    url, *names = sys.argv[1:]
    found = runs(url)
    first, again = (record(next(run for run in found if run["info"]["run_name"] == name)) for name in names)
    note = f"{len(first[0])} terms; loss {first[1]} and {again[1]}"
    print(json.dumps({"experiment.repeated_ok": {"value": bool(first[0]) and first == again, "note": note}}))


if __name__ == "__main__":
    main()
