"""The shared file system under load: IOR's and mdtest's summaries, or fio on all clients at once."""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, Decimal
from functools import partial

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool
from steps.acceptance.tools.fio import of_all_clients

IOR_MAX = re.compile(r"^Max (Write|Read):\s+(\d+\.\d\d) MiB/sec \((\d+\.\d\d) MB/sec\)\s*$", re.MULTILINE | re.ASCII)
IOR_END = re.compile(r"^Finished\s+: \w+", re.MULTILINE)
MDTEST_HEAD = re.compile(r"^SUMMARY rate(?: \(in ops/sec\))?: \(of \d+ iterations\)\s*$", re.MULTILINE)
MDTEST_ROW = re.compile(
    r"^\s+(File|Directory) (creation|stat|read|removal)\s*:?\s+(\d+\.\d{3})\s+(\d+\.\d{3})\s+(\d+\.\d{3})\s+(\d+\.\d{3})",
    re.MULTILINE | re.ASCII,
)
MDTEST_END = re.compile(r"^-- finished at \S+ \S+ --\s*$", re.MULTILINE)
HUNDREDTH = Decimal("0.01")
AGREE = Decimal("0.01")
MB_IN_MIB = Decimal("1.048576")


def bandwidth(handed: Handed, way: str) -> Found:
    """Return IOR's best GB/s in one direction; IOR prints it in two units, which must agree. Without IOR fio's count."""
    if not handed.named("ior") and handed.named(f"fio_clients_{way.lower()}"):
        return of_all_clients(handed, way.lower())
    said = handed.text("ior")
    rows = IOR_MAX.findall(said)
    found = {word: (number(mib), number(mb)) for word, mib, mb in rows}
    if not IOR_END.search(said) or len(found) != len(rows):
        handed.garbled()
    if way not in found:
        raise NotMeasuredError(f"IOR did not {way.lower()}")
    mib, mb = found[way]
    if abs(mib * MB_IN_MIB - mb) > AGREE * max(mb, Decimal(1)):
        handed.garbled()
    if not mb:
        raise NotMeasuredError(f"IOR did not {way.lower()} a single byte")
    return Found((mb / 1000).quantize(HUNDREDTH, ROUND_DOWN))


def operations(handed: Handed, kind: str, what: str) -> Found:
    """Return mdtest's mean operations per second."""
    said = handed.text("mdtest")
    if not MDTEST_HEAD.search(said) or not MDTEST_END.search(said):
        handed.garbled()
    asked = (kind, what)
    rows = [row for row in MDTEST_ROW.findall(said) if row[:2] == asked]
    means = [number(row[4]) for row in rows]
    if len(means) != 1:
        raise NotMeasuredError(f"mdtest did no {kind.lower()} {what}")
    return Found(means[0])


IOR = Tool(
    "IOR",
    "ior",
    "ior -a POSIX -F -t 16m -b 16g",
    (
        Metric("storage.read_gb_s", "GB/s", partial(bandwidth, way="Read")),
        Metric("storage.write_gb_s", "GB/s", partial(bandwidth, way="Write")),
    ),
)
MDTEST = Tool(
    "mdtest",
    "mdtest",
    "mdtest -n 10000 -u",
    (
        Metric("storage.file_creates_s", "count", partial(operations, kind="File", what="creation")),
        Metric("storage.file_stats_s", "count", partial(operations, kind="File", what="stat")),
    ),
)
