"""Proves that a node reads from the cache on its own drive, and reads it right: what the drive read of a sample in a second.

Arguments: two JSON documents and a number. What reading the sample again found, with nothing of it in memory; whether a change of one of its
files was seen in time, and what the cache takes; and the bytes that it may take. A cache that is stale, wrong or too large has no rate that counts.
"""

import json
import sys

METRIC = "cache.hit_read_gb_s"
MB = 1e6


def faults(read: dict, seen: dict, limit: int) -> "list[str]":
    """Return what is wrong with what was read."""
    errors = [each["error"] or "nothing was read" for each in (read, seen) if "error" in each]
    if errors:
        return errors
    found = []
    if read["wrong"]:
        found.append(f"other bytes than were written: {', '.join(read['wrong'])}")
    if not seen["seen"]:
        found.append(f"a changed file is still read as it was, {seen['after_s']:.0f} s after the change")
    if seen["kept"] > limit:
        found.append(f"the cache takes {seen['kept'] / MB:.0f} MB, and may take {limit / MB:.0f}")
    return found


def judged(read: dict, seen: dict, limit: int) -> "tuple[float | None, str]":
    """Return the GB/s that the own drive read."""
    wrong = faults(read, seen, limit)
    if wrong:
        return None, "; ".join(wrong)
    past = f"reads past the cache ({read['past']}); " if read["past"] else ""
    note = (
        f"{past}{read['drives'] / MB:.0f} of {read['bytes'] / MB:.0f} MB from the own drive and {read['received'] / MB:.0f} MB received, in"
        f" {read['seconds']:.2f} s; the first time {read['first_received'] / MB:.0f} MB received, in {read['first_s']:.2f} s; a change was"
        f" read after {seen['after_s']:.0f} s; the cache takes {seen['kept'] / MB:.0f} of {limit / MB:.0f} MB"
    )
    return round(min(read["drives"], read["bytes"]) / read["seconds"] / 1e9, 4), note


def main() -> None:
    """Judge, report."""
    value, note = judged(*map(json.loads, sys.argv[1:]))
    print(json.dumps({METRIC: {"value": value, "note": note}}))


if __name__ == "__main__":
    main()
