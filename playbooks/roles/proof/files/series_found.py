"""Proves that the metrics database finds series: counts the queries that find nothing before patience ends.

Arguments: the metric that the count is of, the database's address, then queries in PromQL.
"""

import json
import ssl
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

PATIENCE_S = 60.0
CERTIFICATES = Path("/etc/clusterwright")


def asked(url: str, query: str) -> list[dict]:
    """Return the series that a query finds. A database on another host is shown this host's certificate."""
    trust = None
    if url.startswith("https:"):
        trust = ssl.create_default_context(cafile=str(CERTIFICATES / "authority.pem"))
        trust.load_cert_chain(CERTIFICATES / "host.pem", CERTIFICATES / "host.key")
    question = f"{url}/api/v1/query?{urllib.parse.urlencode({'query': query})}"
    with urllib.request.urlopen(question, timeout=10, context=trust) as answer:
        return json.load(answer)["data"]["result"]


def is_found(url: str, query: str) -> bool:
    """Say whether a query finds a series."""
    return bool(asked(url, query))


def missing(url: str, queries: list[str], patience_s: float = PATIENCE_S) -> list[str]:
    """Return the queries that still find nothing after `patience_s` seconds."""
    left, end = list(queries), time.monotonic() + patience_s
    while (left := [query for query in left if not is_found(url, query)]) and time.monotonic() < end:
        time.sleep(1)
    return left


def main() -> None:
    """Ask, and count."""
    metric, url, *queries = sys.argv[1:]
    left = missing(url, queries)
    note = f"nothing found: {'; '.join(left)}" if left else f"{len(queries)} queries find series"
    print(json.dumps({metric: {"value": len(left), "note": note}}))


if __name__ == "__main__":
    main()
