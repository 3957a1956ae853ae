"""Proves that reported throughput is what was done: tokens in the metrics database against those that the ranks took in.

What is reported is worked out from the run's terms; each rank also counts what its loader really handed over. Arguments: the
database's address, the run, then the tokens that each rank took in.
"""

import json
import sys
import time
import urllib.parse
import urllib.request

PATIENCE_S = 45.0


def reported(url: str, run: str) -> float | None:
    """Return the tokens of all ranks that the run's first rank reported last."""
    query = urllib.parse.urlencode({"query": f'training_tokens_total{{run="{run}", rank="0"}}'})
    with urllib.request.urlopen(f"{url}/api/v1/query?{query}", timeout=10) as answer:
        found = json.load(answer)["data"]["result"]
    return float(found[0]["value"][1]) if found else None


def judge(said: float | None, taken_in: list[float]) -> dict:
    """Return the error in percent of what the ranks took in."""
    counted = sum(taken_in)
    if said is None or not counted:
        return {"value": None, "note": "nothing was reported" if said is None else "no rank took in anything"}
    note = f"{said:.0f} tokens reported, {counted:.0f} taken in by {len(taken_in)} ranks"
    return {"value": round(abs(said - counted) / counted * 100, 3), "note": note}


def main() -> None:
    """Wait until the end has been scraped, and compare."""
    url, run, taken_in = sys.argv[1], sys.argv[2], [float(word) for word in sys.argv[3:]]
    end = time.monotonic() + PATIENCE_S
    while (said := reported(url, run)) != sum(taken_in) and time.monotonic() < end:
        time.sleep(1)
    print(json.dumps({"throughput.error": judge(said, taken_in)}))


if __name__ == "__main__":
    main()
