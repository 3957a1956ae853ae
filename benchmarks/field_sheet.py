"""How long a field sheet of 4,000 lines takes, of which 200 are wrong, and whether each of these is named in its row.

python -m benchmarks.field_sheet           print what was measured
python -m benchmarks.field_sheet --write   and write docs/evidence/field-sheets.md

The site is the preset h100-10k. A contractor has the cabling of its pods, and their foreman fills in starts and cables. The sheet is
read in a process of its own, from the file to the last line. LibreOffice, where it is installed, saves the sheet again: how many
validations it has then is counted.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from openpyxl import load_workbook

from tests.commands import called

EVIDENCE = Path(__file__).parents[1] / "docs" / "evidence" / "field-sheets.md"
PRESET, CONTRACTOR = "h100-10k", "Cable Works"
LINES, STARTS, WRONG, GOAL_S, ROUNDS = 4_000, 40, 200, 10.0, 3
WRONG_STARTS = 10
MISTAKES = ("no such result", "failed, and nothing says why", "a serial number twice", "no result")


class Filled(NamedTuple):
    """What was filled in: the ids of all lines, and of the wrong ones with their mistakes."""

    ids: set[str]
    wrong: dict[str, str]


def made(folder: Path) -> Path:
    """Make the site, and the sheet of the contractor."""
    sheet, site = folder / "cables.xlsx", folder / "site" / "site.yaml"
    _called("init", "--preset", PRESET, "--start", f"{datetime.now(UTC):%Y-%m-%d}", folder / "site")
    text = site.read_text(encoding="utf-8")
    site.write_text(text.replace('organisation: ""', f"organisation: {CONTRACTOR}", 1), encoding="utf-8")
    for words in (
        ("plan", "adopt", "--as", "owner", "--yes"),
        ("assign", "046@*", "--organisation", CONTRACTOR, "--as", "owner"),
        ("export", "sheet", sheet, "--organisation", CONTRACTOR),
    ):
        print(_called(*words, "--site", folder / "site"))
    return sheet


def _called(*words: object) -> str:
    """Call a command, and return the last line that it said."""
    done = called(words)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stderr.splitlines()[-1]


def fill_in(sheet: Path, filled: Path) -> Filled:
    """Fill in starts and cables, as the foreman does: every twentieth line is wrong."""
    book = load_workbook(sheet)
    ids: set[str] = set()
    wrong: dict[str, str] = {}
    now = datetime.now(UTC).replace(tzinfo=None, second=0, microsecond=0)
    for number, cells in enumerate(islice(_lines(book["Work"]), STARTS)):
        name = str(cells["id"].value)
        ids.add(name)
        cells["started"].value, cells["why out of sequence"].value = now, "the crew was free"
        if number >= STARTS - WRONG_STARTS:
            cells["started"].value, wrong[name] = "last Monday", "no time"
    every = (LINES - STARTS) // (WRONG - WRONG_STARTS)
    for number, cells in enumerate(islice(_lines(book["Items"]), LINES - STARTS)):
        name = str(cells["id"].value)
        ids.add(name)
        cells["result"].value, cells["serial"].value = "pass", f"SN{number:06}"
        if number % every == every - 1 and len(wrong) < WRONG:
            mistake = wrong[name] = MISTAKES[len(wrong) % len(MISTAKES)]
            if mistake == MISTAKES[0]:
                cells["result"].value = "maybe"
            elif mistake == MISTAKES[1]:
                cells["result"].value = "fail"
            elif mistake == MISTAKES[2]:
                cells["serial"].value = f"SN {number}"
            else:
                cells["result"].value = None
    book.save(filled)
    return Filled(ids, wrong)


def _lines(page: Any) -> Iterator[dict[str, Any]]:
    header, *rows = page.iter_rows()
    for row in rows:
        yield {str(name.value): cell for name, cell in zip(header, row, strict=True)}


class Taken(NamedTuple):
    """Seconds of the clock and of the processors that reading and recording a sheet took, and its document."""

    clock_s: float
    processor_s: float
    document: dict[str, Any]


def read(site: Path, sheet: Path) -> Taken:
    """Return what reading and recording a sheet took."""
    words = ["import", "sheet", str(sheet), "--record", "--json", "--site", str(site), "--as", "owner"]
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-m", "clusterwright", *words], capture_output=True, text=True, check=False)
    took, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in {0, 1}:
        sys.exit(done.stderr)
    processor_s = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return Taken(took, processor_s, json.loads(done.stdout))


def validations(path: Path) -> Counter[str]:
    """Return how many validations of each type a workbook has, with their pages."""
    book = load_workbook(path)
    return Counter(f"{page.title} {one.type}" for page in book for one in page.data_validations.dataValidation)


def saved_by_libreoffice(sheet: Path) -> Path | None:
    """Return the sheet as LibreOffice saves it. None where it is not installed."""
    if shutil.which("soffice") is None:
        return None
    there = sheet.parent / "libreoffice"
    words = ["soffice", "--headless", "--convert-to", "xlsx", "--outdir", str(there), str(sheet)]
    subprocess.run(words, check=True, capture_output=True, timeout=300)
    return there / sheet.name


def main(*, write: bool) -> None:
    """Measure, check, print."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        sheet, filled = made(folder), folder / "filled.xlsx"
        said = fill_in(sheet, filled)
        times = []
        for number in range(ROUNDS):
            site = folder / f"round-{number}"
            shutil.copytree(folder / "site", site)
            times.append(read(site, filled))
        best = min(times, key=lambda one: one.clock_s)
        found = best.document
        refused = {row["id"] for row in found["rows"] if row["refusals"]}
        back = load_workbook(folder / "filled-refused.xlsx")
        named = {
            str(cells["id"].value)
            for page in ("Work", "Items")
            for cells in _lines(back[page])
            if cells["refused"].value
        }
        again = read(site, filled)
        saved = saved_by_libreoffice(filled)
        before, after = validations(filled), validations(saved) if saved else None
        through = None if saved is None else read(_copy(folder), saved).document
    checks = {
        f"{len(said.ids):,} lines, {len(said.wrong)} of them wrong": len(said.ids) == LINES
        and len(said.wrong) == WRONG,
        f"{len(refused)} are refused, and these are the wrong ones": refused == said.wrong.keys(),
        f"{len(named)} have the reason in their row of the file of refused lines": named == refused,
        f"{found['recorded']:,} are recorded": found["recorded"] == LINES - WRONG,
        f"read again in {again.clock_s:.1f} s, {again.document['recorded']} are recorded": again.document["recorded"]
        == 0,
        f"the best of {ROUNDS} takes {best.clock_s:.1f} s of the clock, at most {GOAL_S:.0f},"
        f" and {best.processor_s:.1f} s of the processors": best.clock_s <= GOAL_S,
    }
    if after is not None and through is not None:
        checks[f"{before.total()} validations, and as many after LibreOffice saved it: {_words(after)}"] = (
            before == after
        )
        same = (through["recorded"], through["refused"]) == (found["recorded"], found["refused"])
        checks["saved by LibreOffice, the same lines are recorded and refused"] = same
    lines = [f"- {'yes' if good else 'NO'}: {what}" for what, good in checks.items()]
    print(*lines, sep="\n")
    if write:
        at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        machine = f"{os.cpu_count()} cores, {platform.machine()}; Python {platform.python_version()}; load {os.getloadavg()[0]:.1f} at the end"
        head = f"# A sheet that comes back\n\nWritten by `python -m benchmarks.field_sheet --write` on {at}.\n"
        head += f"{machine}. The preset `{PRESET}`; from the file to the last line, with the new forecast.\n\n"
        EVIDENCE.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    if not all(checks.values()):
        sys.exit(1)


def _copy(folder: Path) -> Path:
    site = folder / "through-libreoffice"
    shutil.copytree(folder / "site", site)
    return site


def _words(counted: Counter[str]) -> str:
    return ", ".join(f"{number} {what}" for what, number in counted.items())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/evidence/field-sheets.md")
    main(write=parser.parse_args().write)
