"""Proves that a scrub finds what a failing disk does: compares the copies that were damaged on purpose with those that the scrub named.

Arguments: two JSON documents. By copy its server's address, brick and path, whether files of that brick had been signed, and whether a good
copy came back; and what the scrub found, which servers were done, whether it could be asked for, and what GlusterFS said to that.
"""

import json
import sys

METRIC = "scrub.injected_errors_missed"


def judged(injected: dict, scrub: dict) -> "tuple[int | None, str]":
    """Return how many errors were missed, or found and not repaired."""
    if not injected:
        return None, "nothing was damaged"
    late = sorted({error["address"] for error in injected.values()} - set(scrub["done"]))
    named = {(one["server"], one["brick"], one["path"]) for one in scrub["found"]}
    missed = [
        f"{copy} was not found{'' if error['signed'] else ', its brick signs nothing'}"
        for copy, error in injected.items()
        if (error["address"], error["brick"], error["path"]) not in named
    ]
    unrepaired = [f"{copy}: no good copy came back" for copy, error in injected.items() if not error["repaired"]]
    if missed and (not scrub["is_asked"] or scrub["said"].startswith("Bitrot command failed")):
        return None, scrub["said"]
    if late and missed:
        return None, f"the scrub was not done in time on {', '.join(late)}"
    note = f"{len(injected)} damaged copies were named and made again"
    return len(missed) + len(unrepaired), "; ".join(missed + unrepaired) or note


def main() -> None:
    """Compare, report."""
    value, note = judged(*map(json.loads, sys.argv[1:]))
    print(json.dumps({METRIC: {"value": value, "note": note}}))


if __name__ == "__main__":
    main()
