"""A design on the terminal: the dossier, several side by side, its findings, its figures; and its tables as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from clusterwright.design_sections import sections_of
from clusterwright.output import print_json, table
from steps.design.addressing import hosts
from steps.design.bill import Line
from steps.design.cables import COLUMNS
from steps.design.cooling import free_cooling_hours
from steps.design.design import Design
from steps.design.dossier import Dossier, findings_as_json
from steps.design.figures import figure_sections
from steps.errors import InputError, Place, UnreachableError

MARKS = {"error": "x", "warning": "!", "note": "-"}


class FreeCooling(NamedTuple):
    """Hours of a temperature profile without a chiller, of all its hours, for air and for liquid."""

    hours: int
    air_hours: int
    liquid_hours: int


def print_dossier(dossier: Dossier, hours: FreeCooling | None) -> None:
    """Print every section as a table, what is wrong first."""
    print(dossier.design.preset.title)
    print_findings(findings_as_json(dossier.findings))
    for section in sections_of(dossier):
        table((section.title, "", ""), section.rows, right=(1,))
    if hours:
        print(f"Free cooling: {hours.air_hours:,} of {hours.hours:,} hours for air, {hours.liquid_hours:,} for liquid.")
    print_bill(dossier.bill)


def print_findings(findings: Sequence[dict[str, Any]]) -> None:
    """Print findings, errors first, each with what would remove it."""
    counts = {kind: sum(1 for f in findings if f["severity"] == kind) for kind in MARKS}
    if counts["error"] or counts["warning"]:
        lead = "This design cannot be built as it is: " if counts["error"] else ""
        print(
            lead
            + ", ".join(f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in counts.items() if n and kind != "note")
            + "."
        )
    for finding in findings:
        remedy = f" To fix it: {finding['remedy']}." if finding["remedy"] else ""
        print(f"{MARKS[finding['severity']]} {finding['severity']} {finding['name']}: {finding['says']}.{remedy}")


def print_bill(lines: Iterable[Line]) -> None:
    """Print the bill of quantities."""
    rows = [
        (
            x.section,
            x.item,
            f"{x.site:,.0f}",
            f"{x.spare:,.0f}" if x.spare else "",
            "" if x.pod is None else f"{x.pod:,.0f}",
            x.unit,
        )
        for x in lines
    ]
    table(
        (
            "Bill of quantities",
            "item",
            "site",
            "spare",
            "full pod",
            "unit",
        ),
        rows,
        right=(2, 3, 4),
    )


def print_comparison(dossiers: Sequence[Dossier]) -> None:
    """Print the sections of several designs side by side."""
    names = [d.design.preset.name for d in dossiers]
    by_design = [{(s.title, r.label): r.value for s in sections_of(d) for r in s.rows} for d in dossiers]
    labels = list(dict.fromkeys(key for rows in by_design for key in rows))
    for title in dict.fromkeys(section for section, _ in labels):
        rows = [
            (label, *(one.get((section, label), "") for one in by_design))
            for section, label in labels
            if section == title
        ]
        table((title, *names), rows, right=tuple(range(1, len(names) + 1)))
    counts = [[sum(1 for f in d.findings if f.severity == kind) for kind in ("error", "warning")] for d in dossiers]
    table(("Findings", *names), [(kind, *(c[i] for c in counts)) for i, kind in enumerate(("errors", "warnings"))])


def print_figures(design: Design, *, as_json: bool) -> None:
    """Print every figure by section with unit, value in this design and source."""
    if as_json:
        print_json(
            {
                section: {
                    name: {
                        "value": design.figures.get(name),
                        "unit": spec.unit,
                        "source": design.sources.get(name, ""),
                        "meaning": spec.meaning,
                    }
                    for name, spec in group.items()
                }
                for section, group in figure_sections().items()
            }
        )
        return
    for section, group in figure_sections().items():
        rows = [
            (
                f"{section}.{name}",
                "" if name not in design.figures else f"{design.figures[name]:g}",
                spec.unit,
                spec.meaning,
                design.sources.get(name, ""),
            )
            for name, spec in group.items()
        ]
        table(("figure", "value", "unit", "meaning", "source"), rows, right=(1,))


def write_tables(dossier: Dossier, folder: Path) -> Iterator[tuple[Path, int]]:
    """Write the bill, the cable schedule, the port map and the addresses as CSV. Yield each file and its rows."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreachableError(f"{folder} cannot be made: {error.strerror}", hint="--csv names a folder") from None
    yield _written(folder / "bill.csv", Line._fields, dossier.bill)
    if dossier.cables:
        yield _written(folder / "cables.csv", COLUMNS, dossier.cables.rows())
        yield _written(
            folder / "ports.csv",
            (
                "device",
                "port",
                "peer",
                "peer_port",
                "tier",
            ),
            dossier.cables.ports(),
        )
        nodes = dossier.cables.node_names
        yield _written(folder / "addresses.csv", ("server", "network", "address"), hosts(dossier.addresses, nodes))


def _written(
    path: Path,
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
) -> tuple[Path, int]:
    count = 0

    def counted() -> Iterator[Sequence[Any]]:
        nonlocal count
        for row in rows:
            count += 1
            yield row

    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(counted())
    return path, count


def free_cooling(dossier: Dossier, path: Path) -> FreeCooling:
    """Return the hours of a temperature profile in which no chiller is needed."""
    f = dossier.design.figures
    outside = list(_temperatures(path))
    air, liquid = (
        free_cooling_hours(outside, f[supply], f["approach_k"]) for supply in ("air_supply_c", "liquid_supply_c")
    )
    return FreeCooling(len(outside), air, liquid)


def _temperatures(path: Path) -> Iterator[float]:
    """Yield the last column of a CSV, one hour a line, in degrees Celsius. A first line of words is a header."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreachableError(f"{path} cannot be read: {error}") from None
    for number, row in enumerate(csv.reader(text.splitlines()), 1):
        try:
            yield float(row[-1])
        except (ValueError, IndexError):
            if number > 1:
                raise InputError(
                    "the last column is not a temperature",
                    hint="one hour a line, degrees Celsius",
                    place=Place(str(path), number),
                ) from None
