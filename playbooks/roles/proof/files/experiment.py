"""Proves that a run can be repeated from its record: a run and its repetition were filed with the same terms and the same loss.

Records of an earlier try count for nothing: each run says itself under which number it was filed. Runs on the host that filed them.
Arguments: the tracking service's address, then the folders of the run and of its repetition.
"""

import base64
import json
import ssl
import sys
import urllib.request
from pathlib import Path

LOGIN = Path("/etc/clusterwright/secrets/tracking.env")
AUTHORITY = Path("/etc/clusterwright/authority.pem")
OWN = {"run"}


def runs(url: str) -> dict[str, dict]:
    """Return the newest runs by number, as the account of training runs sees them."""
    account = ":".join(word.partition("=")[2] for word in LOGIN.read_text().splitlines())
    headers = {
        "Authorization": f"Basic {base64.b64encode(account.encode()).decode()}",
        "Content-Type": "application/json",
    }
    trust = ssl.create_default_context(cafile=str(AUTHORITY)) if url.startswith("https:") else None

    def call(path: str, body: dict | None = None) -> dict:
        text = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"{url}/api/2.0/mlflow/{path}", text, headers)
        with urllib.request.urlopen(request, timeout=30, context=trust) as answer:
            return json.load(answer)

    experiment = call("experiments/get-by-name?experiment_name=clusterwright")["experiment"]["experiment_id"]
    asked = {"experiment_ids": [experiment], "order_by": ["start_time DESC"], "max_results": 100}
    return {run["info"]["run_id"]: run for run in call("runs/search", asked)["runs"]}


def number(folder: Path) -> str:
    """Return the number under which a run was filed."""
    filed = json.loads((folder / "outcome.json").read_text(encoding="utf-8"))["filed_as"]
    if not filed:
        raise SystemExit(f"the run {folder.name} was filed nowhere")
    return filed


def record(run: dict) -> tuple[dict, float]:
    """Return a run's settings without its name, and its last loss."""
    terms = {p["key"]: p["value"] for p in run["data"]["params"] if p["key"] not in OWN}
    (loss,) = (m["value"] for m in run["data"]["metrics"] if m["key"] == "loss")
    return terms, loss


def main() -> None:
    """Compare the run with its repetition."""
    url, *folders = sys.argv[1:]
    numbers, found = [number(Path(folder)) for folder in folders], runs(url)
    first, again = (record(found[one]) for one in numbers)
    note = f"{len(first[0])} terms; loss {first[1]} and {again[1]}"
    print(json.dumps({"experiment.repeated_ok": {"value": bool(first[0]) and first == again, "note": note}}))


if __name__ == "__main__":
    main()
