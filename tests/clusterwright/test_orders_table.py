"""The table of orders in a pipe: what is late comes first, ids are whole, and a spreadsheet reads it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.conftest import Command, project_time_at

WIDE = 160
IN_WINTER = datetime(2027, 1, 20, 9, tzinfo=UTC)
"""When some orders of the site are late, and others are not."""


@pytest.fixture(autouse=True)
def in_winter() -> Iterator[None]:
    with project_time_at(IN_WINTER):
        yield


def test_late_orders_come_first_and_ids_are_whole(adopted: Path, command: Command) -> None:
    """In a pipe they were broken over lines, and the one that was latest was the 286th."""
    rows = json.loads(command("orders", "--json", "--site", adopted).stdout)
    days = {row["id"]: max(row["days_late"], row["late_days_p80"] or 0) for row in rows}

    lines = command("orders", "--site", adopted).stdout.split("\n\n")[0].splitlines()

    shown = [name for line in lines if (name := line[1:].partition("  ")[0]) in days]
    late = [days[name] for name in shown if days[name]]
    assert sorted(shown) == sorted(days)
    assert [days[name] for name in shown][: len(late)] == sorted(late, reverse=True)
    assert 0 < len(late) < len(shown)
    assert max(map(len, lines)) <= WIDE


def test_the_late_alone_are_listed_also_as_csv(adopted: Path, command: Command) -> None:
    late = json.loads(command("orders", "--late", "--json", "--site", adopted).stdout)
    written = list(csv.DictReader(io.StringIO(command("orders", "--late", "--csv", "--site", adopted).stdout)))

    assert sorted(row["order"] for row in written) == sorted(row["id"] for row in late)
    assert all(row["days_late"] or row["late_days_p80"] for row in late)
    assert all(len(row["late at P80"].partition(".")[2]) <= 2 for row in written), "days, and not instants"
    assert written[0].keys() >= {"order", "order by", "need by", "late at P80", "value"}


def test_the_csv_is_a_list_from_which_orders_are_placed(adopted: Path, command: Command, tmp_path: Path) -> None:
    """A buyer fills in who delivers and the number, and hands the same file back."""
    rows = list(csv.DictReader(io.StringIO(command("orders", "--csv", "--site", adopted).stdout)))
    file = tmp_path / "orders.csv"
    with file.open("w", encoding="utf-8", newline="") as target:
        writer = csv.DictWriter(target, rows[0])
        writer.writeheader()
        writer.writerows(
            row | {"supplier": "Maker", "reference": f"PO-{n}", "value": "9.50"} for n, row in enumerate(rows)
        )

    placed = command("order", file, "--out-of-sequence", "a frame contract", "--as", "owner", "--site", adopted)

    assert f"{len(rows)} of {len(rows)} placed" in placed.stderr, placed.stderr
    assert placed.returncode == 0


def test_what_can_be_started_has_its_float_in_working_days(adopted: Path, command: Command) -> None:
    said = command("next", "--site", adopted).stdout

    assert "working days" in said
    assert "float h" not in said
