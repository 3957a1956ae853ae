"""Collectives out of nccl-tests: all_reduce_perf and its sisters, with their data check.

Bus bandwidth is taken at the largest size, the better of out-of-place and in-place, for an average over small
sizes says nothing of a link. A run without the data check (`-c 0` prints N/A) proves no result right.
"""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, Decimal
from typing import NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

FIGURE = r"\s+(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s+(\d+\.\d\d)\s+(\d+\.\d\d)\s+(\d+|N/A)"
ROW = re.compile(rf"\s*(\d+)\s+(\d+)\s+(\w+)\s+(\w+)\s+(-?\d+){FIGURE}{FIGURE}\s*", re.ASCII)
OUT_OF_BOUNDS = re.compile(r"^\s*#? ?Out of bounds values\s*:\s*(\d+)\s+(OK|FAILED)\s*$", re.MULTILINE | re.ASCII)
AVERAGE = re.compile(r"^\s*#? ?Avg bus bandwidth\s*:\s*(\d+(?:\.\d+)?)\s*$", re.MULTILINE | re.ASCII)
RANK = re.compile(r"^\s*#?\s+Rank\s+(\d+)\s", re.MULTILINE | re.ASCII)
RANGE = re.compile(r"minBytes (\d+) maxBytes (\d+) step: (\d+)\((bytes|factor)\)", re.ASCII)
REDUCED = re.compile(r"Reducing maxBytes to (\d+) due to memory limitation", re.ASCII)
TENTH = Decimal("0.1")


class Row(NamedTuple):
    """One size: bytes, the better bus bandwidth in GB/s, and results that were wrong (None: not checked)."""

    size: Decimal
    busbw: Decimal
    wrong: Decimal | None


def bus_bandwidth(handed: Handed) -> Found:
    """Give the GB/s of bus bandwidth at the largest size."""
    row = max(_rows(handed), key=lambda r: r.size)
    return Found(row.busbw, f"at {row.size} bytes")


def line_share(handed: Handed) -> Found:
    """Give the bus bandwidth at the largest size in percent of a node's line rate."""
    rails, rate = handed.design.get("rails"), handed.design.get("link_gb_s")
    if not rails or not rate:
        raise NotMeasuredError("the design states no rails or no link rate")
    line = number(str(rails)) * number(str(rate)) / 8
    found = bus_bandwidth(handed)
    return Found((Decimal(str(found.value)) / line * 100).quantize(TENTH, ROUND_DOWN), f"{found.value} of {line} GB/s")


def wrong_results(handed: Handed) -> Found:
    """Count results that the data check found wrong, over all sizes."""
    rows = _rows(handed)
    wrong = [row.wrong for row in rows]
    if None in wrong:
        raise NotMeasuredError("the data check was off; run with -c 1")
    bad = [str(row.size) for row in rows if row.wrong]
    return Found(sum((w for w in wrong if w is not None), Decimal(0)), f"at {', '.join(bad)} bytes" if bad else "")


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
    """Read the table; the summary below it says that it is whole, and must agree with it."""
    said = handed.text("nccl_all_reduce", accept=(0, 1))
    rows = [_row(found) for line in said.splitlines() if (found := ROW.fullmatch(line))]
    bounds, average = OUT_OF_BOUNDS.findall(said), AVERAGE.findall(said)
    if not rows or len(bounds) != 1 or len(average) != 1:
        handed.garbled()
    if len(rows) % _sizes(handed, said):
        handed.garbled()
    count, verdict = bounds[0]
    wrong = sum((row.wrong for row in rows if row.wrong), Decimal(0))
    if (verdict == "FAILED") != (number(count) > 0) or (verdict == "OK" and wrong):
        handed.garbled()
    return rows


def _sizes(handed: Handed, said: str) -> int:
    """Give how many sizes the run was asked for: what the table lacks was lost. Several operations repeat them."""
    asked = RANGE.search(said)
    if not asked:
        handed.garbled()
    reduced = REDUCED.search(said)
    size, most, step = int(asked[1]), int(reduced[1] if reduced else asked[2]), int(asked[3])
    if asked[4] == "bytes" and step:
        return max((most - size) // step + 1, 1)
    if step < 2 or not 0 < size <= most:
        return 1
    return next(n for n in range(1, 64) if size * step**n > most)


def _row(found: re.Match[str]) -> Row:
    out_wrong, in_wrong = found[9], found[13]
    checked = "N/A" not in {out_wrong, in_wrong}
    busbw = max(number(found[8]), number(found[12]))
    return Row(number(found[1]), busbw, number(out_wrong) + number(in_wrong) if checked else None)


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
