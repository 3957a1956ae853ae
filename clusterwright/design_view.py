"""A design on the terminal: the dossier, several side by side, its findings, its figures; and its tables as CSV."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from clusterwright.design_sections import sections_of
from clusterwright.output import Cells, Document, print_json, table
from clusterwright.text_file import text_in
from schedule.csv_lines import numbered_rows, write_rows
from schedule.errors import InputError, Place, UnreachableError
from steps.design.addressing import hosts
from steps.design.bill import Line
from steps.design.cables import COLUMNS
from steps.design.cooling import free_cooling_hours
from steps.design.design import Design
from steps.design.dossier import Dossier
from steps.design.figures import FigureSpec, figure_sections
from steps.design.findings import Finding
from steps.value import bounded_number

MARKS = {"error": "x", "warning": "!", "note": "-"}


Sides = Sequence[Mapping[str, object]]
"""Values by label, of each design."""


class FreeCooling(NamedTuple):
    """Hours of a temperature profile without a chiller, of all its hours, for air and for liquid."""

    hours: int
    air_hours: int
    liquid_hours: int


def print_dossier(dossier: Dossier, hours: FreeCooling | None) -> None:
    """Print every section as a table, what is wrong first."""
    print(dossier.design.preset.title)
    print_findings(dossier.findings)
    for section in sections_of(dossier):
        table((section.title, "", ""), section.rows, right=(1,))
    if hours:
        print(f"Free cooling: {hours.air_hours:,} of {hours.hours:,} hours for air, {hours.liquid_hours:,} for liquid.")
    print_bill(dossier.bill)


def print_findings(findings: Sequence[Finding]) -> None:
    """Print findings, errors first, each with what would remove it."""
    counts = Counter(finding.severity for finding in findings)
    grave = [f"{n} {kind}{'s' if n > 1 else ''}" for kind in ("error", "warning") if (n := counts[kind])]
    if grave:
        lead = "This design cannot be built as it is: " if counts["error"] else ""
        print(f"{lead}{', '.join(grave)}.")
    for finding in findings:
        remedy = f" To fix it: {finding.remedy}." if finding.remedy else ""
        print(f"{MARKS[finding.severity]} {finding.severity} {finding.name}: {finding.says}.{remedy}")


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
    columns = range(1, len(names) + 1)
    by_design = [{one.title: {row.label: row.value for row in one.rows} for one in sections_of(d)} for d in dossiers]
    for title in dict.fromkeys(chain(*by_design)):
        sides = [sections.get(title, {}) for sections in by_design]
        labels = dict.fromkeys(chain(*sides))
        rows = [_side_by_side(label, sides, "") for label in labels]
        table((title, *names), rows, right=columns)
    counts = [Counter(f"{f.severity}s" for f in d.findings) for d in dossiers]
    totals = [_side_by_side(kind, counts, 0) for kind in ("errors", "warnings")]
    table(("Findings", *names), totals)


def _side_by_side(label: str, sides: Sides, none: object) -> Cells:
    return label, *(side.get(label, none) for side in sides)


def print_figures(design: Design, *, as_json: bool) -> None:
    """Print every figure by section with unit, value in this design and source."""
    sections = {
        section: {name: _figure(name, spec, design) for name, spec in group.items()}
        for section, group in figure_sections().items()
    }
    if as_json:
        print_json(sections)
        return
    for section, figures in sections.items():
        rows = []
        for name, figure in figures.items():
            value = "" if figure["value"] is None else f"{figure['value']:g}"
            told = (figure["unit"], figure["meaning"], figure["source"])
            rows.append((f"{section}.{name}", value, *told))
        table(("figure", "value", "unit", "meaning", "source"), rows, right=(1,))


def _figure(name: str, spec: FigureSpec, design: Design) -> Document:
    return {
        "value": design.figures.get(name),
        "unit": spec.unit,
        "source": design.sources.get(name, ""),
        "meaning": spec.meaning,
    }


def write_tables(dossier: Dossier, folder: Path) -> Iterator[tuple[Path, int]]:
    """Write the bill, the cable schedule, the port map and the addresses as CSV. Yield each file and its rows."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreachableError(f"{folder} cannot be made: {error.strerror}", hint="--csv names a folder") from None
    yield _written(folder / "bill.csv", Line._fields, dossier.bill)
    if dossier.cables:
        beside = dossier.service_cables.rows() if dossier.service_cables else ()
        yield _written(folder / "cables.csv", COLUMNS, chain(dossier.cables.rows(), beside))
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
        write_rows(file, chain([header], counted()))
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
    for line, row in numbered_rows(text_in(path).encode(), str(path)):
        degrees = bounded_number(row[-1].strip()) if row else None
        if degrees is not None:
            yield float(degrees)
        elif line > 1:
            raise InputError(
                "the last column is not a temperature",
                hint="one hour a line, degrees Celsius",
                place=Place(str(path), line),
            )
