"""Proves that a scrub finds what a failing disk does: compares the copies that were damaged on purpose with those that the scrub named.

Arguments: two JSON documents. By server its address, the damaged brick and path, how many files had no signature, and whether a good copy
came back; and what the scrub found, and which servers were not done.
"""

import json
import sys

METRIC = "scrub.injected_errors_missed"


def judged(injected: dict, scrub: dict) -> "tuple[int | None, str]":
    """Return how many errors were missed, or found and not repaired."""
    late = [name for name, error in injected.items() if error["address"] in scrub["late"]]
    named = {(one["server"], one["brick"], one["path"]) for one in scrub["found"]}
    missed = [
        f"{name}: {error['brick']}{error['path']} was not found, {error['unsigned']} files had no signature"
        for name, error in injected.items()
        if (error["address"], error["brick"], error["path"]) not in named
    ]
    unrepaired = [f"{name}: no good copy came back" for name, error in injected.items() if not error["repaired"]]
    if late and missed:
        return None, f"the scrub was not done in time on {', '.join(late)}"
    if missed and scrub["said"].startswith("Bitrot command failed"):
        return None, scrub["said"]
    note = f"{len(injected)} damaged copies were named and made again"
    return len(missed) + len(unrepaired), "; ".join(missed + unrepaired) or note


def main() -> None:
    """Compare, report."""
    value, note = judged(*map(json.loads, sys.argv[1:]))
    print(json.dumps({METRIC: {"value": value, "note": note}}))


if __name__ == "__main__":
    main()
