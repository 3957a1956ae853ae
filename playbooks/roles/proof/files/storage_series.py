"""Proves that the metrics database has the storage's series: the share of the queries that find some.

Arguments: the database's address, then queries in PromQL.
"""

import json
import sys

from series_found import missing


def main() -> None:
    """Ask, and count."""
    url, *queries = sys.argv[1:]
    left = missing(url, queries)
    note = f"nothing found: {'; '.join(left)}" if left else f"{len(queries)} queries find series"
    share = (len(queries) - len(left)) / len(queries)
    print(json.dumps({"storage.series_present_ratio": {"value": round(share, 3), "note": note}}))


if __name__ == "__main__":
    main()
