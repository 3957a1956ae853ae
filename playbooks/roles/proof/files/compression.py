"""Proves what compression of the bricks costs writers: compares rounds in which a sample was written with it and without it.

Arguments: two JSON documents and a number. What the client wrote (`bytes`, `equal_blocks`, and for each round the seconds without and with
compression); by server and brick what is kept of the compressed sample and how long its files are; and the percent that it must save to pay.
Compression that does nothing costs nothing: a brick that keeps every byte, or a sample that hardly shrinks, is not measured.
"""

import json
import statistics
import sys

METRIC = "compression.write_slowdown"


def judged(written: dict, kept: dict, least: float) -> "tuple[float | None, str]":
    """Return by how many percent writing took longer, and what was saved."""
    if not written.get("seconds"):
        return None, "no sample was written: storage_compression_sample has no files"
    lacking = [server for server, bricks in kept.items() if not bricks]
    if lacking:
        return None, f"bytes on the drives are not known of {', '.join(lacking)}"
    sizes = {f"{server}:{brick}": pair for server, bricks in kept.items() for brick, pair in bricks.items()}
    saved = {brick: 100 * (1 - disk / length) for brick, (disk, length) in sizes.items()}
    all_saved = 100 * (1 - sum(disk for disk, _ in sizes.values()) / sum(length for _, length in sizes.values()))
    idle = [brick for brick, percent in saved.items() if percent <= 0]
    if idle and len(idle) < len(saved):
        return None, f"does not compress: {', '.join(idle)}"
    if all_saved < least:
        return (
            None,
            f"{all_saved:.0f} % of {written['bytes'] / 1e6:.0f} MB saved, less than {least:g} %: compression is off, or does not pay",
        )
    slower = sorted(100 * (packed / plain - 1) for plain, packed in written["seconds"])
    plain, packed = (statistics.median(round_[way] for round_ in written["seconds"]) for way in (0, 1))
    note = (
        f"{all_saved:.0f} % of {written['bytes'] / 1e6:.0f} MB saved; {plain:.2f} s without, {packed:.2f} s with; {len(slower)} rounds of"
        f" {slower[0]:+.0f} to {slower[-1]:+.0f} %; {100 * written['equal_blocks']:.0f} % of blocks occur twice"
    )
    return round(statistics.median(slower), 1), note


def main() -> None:
    """Compare, report."""
    written, kept, least = map(json.loads, sys.argv[1:])
    value, note = judged(written, kept, least)
    print(json.dumps({METRIC: {"value": value, "note": note}}))


if __name__ == "__main__":
    main()
