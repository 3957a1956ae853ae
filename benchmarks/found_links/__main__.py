"""Hold what is found against what is drawn, and against other judges.

python -m benchmarks.found_links              50 halls of simhall, 50 fabrics of ibsim, and docs/evidence/found-links.md
python -m benchmarks.found_links --count 5    fewer, printed only

It makes an environment of its own for simhall and turnup-check, which say that they need Python 3.12 and run on 3.11. ibsim, opensm
and iblinkinfo are those of this machine (Debian: ibsim-utils, opensm, infiniband-diags).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.found_links.infiniband import Outcome, try_fabric
from benchmarks.found_links.judging import Judged, Words, judge, swaps

EVIDENCE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "found-links.md"
COUNT, SEED = 50, 1

PACKAGES = ("simhall==0.1.0", "turnup-check==0.1.0")

ELSEWHERE = {
    "firmware_off_baseline": "007",
    "gpu_count_mismatch": "029",
    "gpu_unhealthy": "034, 167",
    "nvlink_degraded": "034, 167",
    "node_health_warning": "031",
}
"""Classes of turnup-check that are not about cables, and the steps that judge the same."""


def main() -> None:
    """Judge halls and fabrics, and print the page or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        halls = judged_halls(Path(folder), asked.count, asked.seed)
        fabrics = [try_fabric(asked.seed * 1000 + number, Path(folder)) for number in range(asked.count)]
    text = "\n".join(page(halls, fabrics, asked.seed)) + "\n"
    if (asked.count, asked.seed) == (COUNT, SEED):
        EVIDENCE.write_text(text, encoding="utf-8")
    print(text)


def judged_halls(folder: Path, count: int, seed: int) -> list[Judged]:
    """Return random halls as both judge them."""
    subprocess.run([sys.executable, "-m", "venv", folder / "own"], check=True)
    python = folder / "own" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--ignore-requires-python", *PACKAGES], check=True)
    script = Path(__file__).with_name("halls.py")
    subprocess.run([python, script, folder / "halls", str(count), str(seed)], check=True)
    return [judge(each) for each in sorted((folder / "halls").iterdir())]


def why(hall: Judged, words: Words) -> str:
    """Return why one of both finds what the other does not; empty where that is not known."""
    _, what = words
    about = [found for found in hall.comparison.findings if what in found.cables]
    if any(end.device in hall.comparison.unread for found in about for end in found.ends):
        return "it is at a switch that did not answer; the server's controller says so, and turnup-check does not ask it where a cable is"
    return ""


def page(halls: list[Judged], fabrics: list[Outcome], seed: int) -> Iterator[str]:
    """Yield the lines of the page."""
    both = sum((hall.both for hall in halls), Counter[str]())
    differences = Counter(
        (side, words[0], why(hall, words) or "not explained")
        for hall in halls
        for side, only in (("turnup-check", hall.only_theirs), ("Clusterwright", hall.only_ours))
        for words in only
    )
    equal = sum(not hall.only_theirs and not hall.only_ours for hall in halls)
    cables = sum(hall.cables for hall in halls)
    paired = sum(swaps(hall.comparison.findings) for hall in halls)
    yield "# As found against as drawn"
    yield ""
    yield f"Written by `python -m benchmarks.found_links` on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC (seed {seed})."
    yield "[What is compared, and how](../how-to/found-links.md)."
    yield ""
    yield "## Against turnup-check, in halls of simhall"
    yield ""
    yield f"{len(halls)} random halls with {cables:,} cables and up to twelve random faults each, simulated by {PACKAGES[0]} (Arista's eAPI,"
    yield f"NVIDIA's NVUE, Redfish). {PACKAGES[1]} judges each hall over HTTP; Clusterwright reads the same interfaces and gets the cable schedule"
    yield f"as CSV. **{equal} of {len(halls)} halls are judged alike.**"
    yield ""
    yield "| finding | both |"
    yield "|---|---|"
    yield from (f"| {kind} | {number} |" for kind, number in sorted(both.items()))
    yield ""
    yield f"Two cables that have each other's port are two `wrong_port` there and one finding here ({paired} of them), so that a technician"
    yield "exchanges both in one go."
    yield ""
    yield "| only found by | finding | number | because |"
    yield "|---|---|---|---|"
    yield from (
        f"| {side} | {kind} | {number} | {reason} |" for (side, kind, reason), number in sorted(differences.items())
    )
    yield ""
    yield "turnup-check also finds faults of servers that are no cables. Other steps judge these, and they are not compared here."
    yield ""
    yield "| finding | number | steps |"
    yield "|---|---|---|"
    beside = sum((hall.beside for hall in halls), Counter[str]())
    yield from (f"| {kind} | {number} | {ELSEWHERE[kind]} |" for kind, number in sorted(beside.items()))
    yield ""
    yield from _of_fabrics(fabrics)


def _of_fabrics(fabrics: list[Outcome]) -> Iterator[str]:
    planted, found = sum(f.planted for f in fabrics), sum(f.found for f in fabrics)
    repaired, closed = sum(f.repaired for f in fabrics), sum(f.closed for f in fabrics)
    yield "## InfiniBand, in fabrics of ibsim"
    yield ""
    yield f"{len(fabrics)} fabrics of the preset superpod-1su with 3 to 14 servers, {sum(f.cables for f in fabrics):,} cables. ibsim simulates the"
    yield "fabric with plugs moved, exchanged and taken out, links slow and narrow, and cables that nobody drew; the real opensm brings it up, and"
    yield "the real iblinkinfo is read. Then half of the faults are put right and the fabric is read again."
    yield ""
    yield "| what | number |"
    yield "|---|---|"
    yield f"| faults planted | {planted} |"
    yield f"| of these found, of their kind and with their cables | {found} |"
    yield f"| anything else that was found | {sum(f.other for f in fabrics)} |"
    yield f"| put right | {repaired} |"
    yield f"| of these closed in the next reading | {closed} |"
    yield f"| closed without being put right | {sum(f.wrongly_closed for f in fabrics)} |"


if __name__ == "__main__":
    main()
