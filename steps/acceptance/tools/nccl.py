"""Collectives of nccl-tests: all_reduce_perf and the other programs, with their data check.

Bus bandwidth is that of the largest size, the better of out-of-place and in-place: an average over small sizes says nothing
about a link. A run without the data check (`-c 0` prints N/A) does not prove that the results are right.
"""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, Decimal
from typing import NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

FIGURE = r"\s+(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s+(\d+\.\d\d)\s+(\d+\.\d\d)\s+(\d+|N/A)"
ROW = re.compile(rf"\s*(\d+)\s+(\d+)\s+(\w+)\s+(\w+)\s+(-?\d+){FIGURE}{FIGURE}\s*", re.ASCII)
OUT_OF_BOUNDS = re.compile(r"^[ \t]*#? ?Out of bounds values\s*:\s*(\d+)\s+(OK|FAILED)\s*$", re.MULTILINE | re.ASCII)
AVERAGE = re.compile(r"^[ \t]*#? ?Avg bus bandwidth\s*:\s*(\d+(?:\.\d+)?)\s*$", re.MULTILINE | re.ASCII)
RANK = re.compile(r"^[ \t]*#?[ \t]+Rank\s+(\d+)\s", re.MULTILINE | re.ASCII)
RANGE = re.compile(r"minBytes (\d+) maxBytes (\d+) step: (\d+)\((bytes|factor)\)", re.ASCII)
REDUCED = re.compile(r"Reducing maxBytes to (\d+) due to memory limitation", re.ASCII)
TENTH = Decimal("0.1")


class Row(NamedTuple):
    """One size: bytes, the better bus bandwidth in GB/s, and the count of wrong results (None: not checked)."""

    size: Decimal
    busbw: Decimal
    wrong: Decimal | None


def bus_bandwidth(handed: Handed) -> Found:
    """Return the GB/s of bus bandwidth at the largest size."""
    row = max(_rows(handed), key=lambda r: r.size)
    return Found(row.busbw, f"at {row.size} bytes")


def line_share(handed: Handed) -> Found:
    """Return the bus bandwidth at the largest size, in percent of a node's line rate."""
    rails, rate = handed.design.get("rails"), handed.design.get("link_gb_s")
    if not rails or not rate:
        raise NotMeasuredError("the design states no rails or no link rate")
    line = number(str(rails)) * number(str(rate)) / 8
    found = Decimal(str(bus_bandwidth(handed).value))
    percent = (found / line * 100).quantize(TENTH, ROUND_DOWN)
    return Found(percent, f"{found} of {line} GB/s")


def wrong_results(handed: Handed) -> Found:
    """Count results that the data check found wrong, over all sizes."""
    rows = _rows(handed)
    wrong = [row.wrong for row in rows if row.wrong is not None]
    if len(wrong) != len(rows):
        raise NotMeasuredError("the data check was off; run with -c 1")
    bad = [str(row.size) for row in rows if row.wrong]
    note = f"at {', '.join(bad)} bytes" if bad else ""
    return Found(sum(wrong, Decimal(0)), note)


def sizes_measured(handed: Handed) -> Found:
    """Count the message sizes of the run."""
    return Found(Decimal(len(_rows(handed))))


def ranks(handed: Handed) -> Found:
    """Count the GPUs that took part."""
    _rows(handed)
    found = [int(rank) for rank in RANK.findall(handed.text("nccl_all_reduce"))]
    if not found or sorted(found) != list(range(len(found))):
        handed.garbled()
    return Found(Decimal(len(found)))


def _rows(handed: Handed) -> list[Row]:
    """Return the rows of the table; the summary below it must agree with them."""
    said = handed.text("nccl_all_reduce", accept=(0, 1))
    matches = [ROW.fullmatch(line) for line in said.splitlines()]
    rows = [_row(found) for found in matches if found]
    bounds, average = OUT_OF_BOUNDS.findall(said), AVERAGE.findall(said)
    if not rows or len(bounds) != 1 or len(average) != 1:
        handed.garbled()
    if len(rows) % _sizes(handed, said):
        handed.garbled()
    count, verdict = bounds[0]
    wrong = sum((row.wrong for row in rows if row.wrong), Decimal(0))
    failed = verdict == "FAILED"
    if failed != (number(count) > 0) or (wrong and not failed):
        handed.garbled()
    return rows


def _sizes(handed: Handed, said: str) -> int:
    """Return how many sizes the run was asked for; a run of several operations repeats them."""
    asked = RANGE.search(said)
    if not asked:
        handed.garbled()
    reduced = REDUCED.search(said)
    most = int(reduced[1] if reduced else asked[2])
    size, step = int(asked[1]), int(asked[3])
    if asked[4] == "bytes" and step:
        return max((most - size) // step + 1, 1)
    if step < 2 or not 0 < size <= most:
        return 1
    return next(n for n in range(1, 64) if size * step**n > most)


def _row(found: re.Match[str]) -> Row:
    size = number(found[1])
    busbw = max(number(found[8]), number(found[12]))
    out_of_place, in_place = found[9], found[13]
    if "N/A" in {out_of_place, in_place}:
        return Row(size, busbw, None)
    return Row(size, busbw, number(out_of_place) + number(in_place))


TOOL = Tool(
    "nccl-tests",
    "nccl_all_reduce",
    "all_reduce_perf -b 8M -e 16G -f 2 -g 8 -c 1",
    (
        Metric("nccl.allreduce_busbw_node", "GB/s", bus_bandwidth),
        Metric("nccl.allreduce_pod_line_share", "percent of line rate", line_share),
        Metric("nccl.allreduce_full_line_share", "percent of line rate", line_share),
        Metric("nccl.wrong_results", "count", wrong_results),
        Metric("nccl.sizes_measured", "count", sizes_measured),
        Metric("nccl.ranks", "count", ranks),
    ),
)
