"""Proves that reported throughput is what was done: tokens in the metrics database against steps times what a step takes in.

Arguments: the database's address, the run, then the tokens that were counted.
"""

import json
import sys
import time
import urllib.parse
import urllib.request

PATIENCE_S = 45.0


def reported(url: str, run: str) -> float | None:
    """Return the value that the run's first rank reported last."""
    query = urllib.parse.urlencode({"query": f'training_tokens_total{{run="{run}", rank="0"}}'})
    with urllib.request.urlopen(f"{url}/api/v1/query?{query}", timeout=10) as answer:
        found = json.load(answer)["data"]["result"]
    return float(found[0]["value"][1]) if found else None


def main() -> None:
    """Wait until the end has been scraped, and compare."""
    url, run, counted = sys.argv[1], sys.argv[2], float(sys.argv[3])
    end = time.monotonic() + PATIENCE_S
    while (said := reported(url, run)) != counted and time.monotonic() < end:
        time.sleep(1)
    error = None if said is None else round(abs(said - counted) / counted * 100, 3)
    print(json.dumps({"throughput.error": {"value": error, "note": f"{said} tokens reported, {counted:.0f} counted"}}))


if __name__ == "__main__":
    main()
