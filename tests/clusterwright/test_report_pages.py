"""The page that a sponsor is handed: one sheet, the figures of the other views, and the last week alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from html import unescape
from pathlib import Path
from subprocess import run

import pytest

from clusterwright.pictures.canvas import Picture
from clusterwright.reports.page import (
    HIGH,
    Chart,
    Photo,
    Photos,
    Sheet,
    Table,
    Tile,
    counted_table,
    fitted,
    side_by_side,
)
from clusterwright.reports.pdf import pdf_page
from clusterwright.reports.tables import short_amount
from clusterwright.week_report import began
from ledger.subjects.orders.decisions import promise
from ledger.writing import Ledger
from tests import commands
from tests.clusterwright.reported import CONTRACTOR, ORDER, Reported, reported
from tests.ledger.conftest import T0
from tests.needs import needs

pytestmark = pytest.mark.own_file

A4 = b"/MediaBox [ 0 0 595.2756 841.8898 ]"
NAMESPACES = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink")


@pytest.fixture(scope="module")
def site() -> Iterator[Reported]:
    with reported() as made:
        yield made


@pytest.fixture(scope="module")
def page(site: Reported) -> str:
    """The week as HTML."""
    return site.file("week.html", "week").decode()


def sheet_of(html: str) -> str:
    """Return the text of the sheet itself, without what is behind it and what is drawn."""
    sheet = html.partition('<main class="sheet">')[2].partition("</main>")[0]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<svg.*?</svg>", " ", sheet, flags=re.DOTALL))).split())


def rows_of(html: str, title: str) -> list[list[str]]:
    """Return the rows of the table under a title of the sheet."""
    block = next(part for part in html.split("<h2>")[1:] if part.startswith(title)).partition("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", block, flags=re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows[1:]]


def tile_of(html: str, label: str) -> str:
    """Return the figure of a tile."""
    found = re.search(rf"<span>{re.escape(label)}</span><b>(.*?)</b>", html)
    assert found, label
    return unescape(found[1])


def is_one_sheet(content: bytes) -> bool:
    """Return whether a PDF has one page, of A4."""
    return len(re.findall(rb"/Type /Page\b", content)) == 1 and content.count(A4) == 1


def test_its_figures_are_those_of_status(site: Reported, page: str) -> None:
    """A reader who asks the command after the meeting reads the same."""
    status = site.document("status")

    assert tile_of(page, "Commitment (P80)") == status["commitment"]["commitment"][:10]
    assert tile_of(page, "Target (P50)") == status["commitment"]["target"][:10]
    left = status["contingency"]
    assert tile_of(page, "Schedule contingency") == f"{left['left']} of {left['days']} days"
    late = status["past_planned_finish"], status["forecast_later"]
    assert f"{late[0]} activit" in sheet_of(page)
    assert f"; {late[1]} " in sheet_of(page)
    assert f"Decisions needed: {status['decisions_needed']}." in sheet_of(page)
    expected = {row[0]: row[1] for row in rows_of(page, "Go-live: baseline")}["Expected (working)"]
    assert expected == status["forecast"]["finish"][:10]


def test_dates_stand_beside_the_baseline_and_last_week(site: Reported, page: str) -> None:
    """A week ago the promise of the second delivery was not known yet."""
    week_ago = site.document("slip", "--as-of", week_before(site))
    (now,) = [row for row in rows_of(page, "Go-live: baseline") if row[0].startswith("Expected")]

    assert now[2] == week_ago["forecast"][:10]
    moved = date.fromisoformat(now[1]) - date.fromisoformat(now[2])
    assert now[3] == f"{moved.days:+d} d"
    assert moved > timedelta(days=30)
    base = date.fromisoformat(site.document("status")["baseline"]["finish"][:10])
    assert now[4] == f"{(date.fromisoformat(now[1]) - base).days:+d} d"


def week_before(site: Reported) -> str:
    """Return the moment a week before the last event, as --as-of takes it."""
    last = site.document("log")[-1]["effective_at"]
    return str((T0.fromisoformat(last) - timedelta(weeks=1)).isoformat())


def test_the_parts_of_the_slip_are_its_own_with_their_cost(site: Reported, page: str) -> None:
    slip, week_ago = site.document("slip"), site.document("slip", "--as-of", week_before(site))
    rows = rows_of(page, "What slipped")

    greatest = max(slip["parts"], key=lambda part: abs(part["minutes"]))
    before = sum(part["days"] for part in week_ago["parts"] if part["id"] == greatest["id"])
    assert rows[0][0] == greatest["title"]
    assert rows[0][2] == greatest["owner"] == "ACME"
    assert rows[0][4] == f"{greatest['days']:+.1f}"
    assert rows[0][5] == f"{greatest['days'] - before:+.1f}"
    assert greatest["days"] - before > 30, "it is news of this week"
    assert rows[0][6] == f"${greatest['days']:.1f} k", "a day costs $1,000"


def test_a_page_is_of_the_last_event_in_its_words_as_in_its_tables() -> None:
    """Where no engine had made the forecast again the sentence and the tiles were of an earlier event, and the tables of the last one."""
    with reported() as made:
        before = made.document("status")["forecast"]["finish"]
        last, late = T0.fromisoformat(made.document("log")[-1]["effective_at"]), (T0 + timedelta(days=160)).date()
        with Ledger.open(made.folder, clock=lambda: last) as ledger:
            promise(ledger, "pm", f"{ORDER}/2", late, reason="allocation")
        assert made.document("status")["forecast"]["newer"] == 1

        html = made.file("late.html", "week").decode()

        now = made.document("status")["forecast"]
        assert now["newer"] == 0
        assert now["samples"] == 40, "as many as people had asked for"
        assert now["finish"] > before
        expected = {row[0]: row[1] for row in rows_of(html, "Go-live: baseline")}["Expected (working)"]
        assert expected == now["finish"][:10]
        parts = sum(float(row[4]) for row in rows_of(html, "What slipped"))
        assert round(parts) == now["days_later"]


def test_it_lists_what_was_done_in_the_last_week_alone(site: Reported, page: str) -> None:
    """The first decision was done a fortnight ago."""
    week = rows_of(page, "Done this week")
    month = rows_of(site.file("month.html", "month").decode(), "Done this month")

    assert not [row for row in week if row[0] == "Step 001"]
    assert [row for row in month if row[0] == "Step 001"]


def test_a_decision_has_names_and_a_day(page: str) -> None:
    rows = rows_of(page, "Decisions needed")

    change = next(row for row in rows if row[2].startswith("CO-"))
    assert change[0] == "Petra Manz", "the person who asked for it does not decide it"
    assert change[1] == "change order: two spares"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d( !)?", row[3]) for row in rows)
    assert any(row[2].startswith("NCR-") for row in rows)


def test_late_orders_quality_and_money_are_on_it(page: str) -> None:
    (order,) = rows_of(page, "Orders at risk")
    (ncr,) = rows_of(page, "Quality: 1 NCR, 0 waivers")
    (money,) = rows_of(page, "Money committed")

    assert order[0] == "GPU servers"
    assert order[2] == "ACME"
    assert "d late, needed " in order[3]
    assert order[4] == "$1.2 M"
    assert "two anchors are not marked" in ncr[0]
    assert money[:2] == ["servers", "$1.2 M"]
    assert money[2] == "–", "it was committed before this week"
    assert money[3] == "$600.0 k", "half of it came"


def test_an_amount_of_another_currency_is_as_short_as_dollars() -> None:
    """A figure of eight digits with its currency was cut in the middle: nobody saw that it was one."""
    amounts = (Decimal("9912000.00"), "EUR"), (Decimal(53_400), "CHF"), (Decimal(175_000), "USD"), (Decimal(0), "EUR")

    assert [short_amount(*one) for one in amounts] == ["9.9 M EUR", "53.4 k CHF", "$175.0 k", "–"]


def test_charts_and_photos_are_in_the_file_and_nothing_is_fetched(page: str) -> None:
    sheet = page.partition("</main>")[0]
    assert sheet.count("<svg") == 2
    assert sheet.count("data:image/jpeg;base64,") == 1
    assert "010@pod-001, 2026-01-19" in sheet_of(page)
    for name in NAMESPACES:
        page = page.replace(f'"{name}"', '""')
    assert "://" not in page
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!#|data:image/jpeg)', page)


def test_all_that_the_list_says_is_behind_it(site: Reported, page: str) -> None:
    behind = unescape(page.partition('<section class="behind">')[2])
    document = site.document("report", "week")

    assert document["go_live"] in behind
    for name, lines in document["sections"].items():
        assert f"{name} ({len(lines)})" in behind
        assert [line["id"] for line in lines if line["id"] not in behind] == []
    assert ORDER in behind


def test_a_pdf_is_one_sheet(site: Reported) -> None:
    for words in (["phase", "networking"], ["week", "--organisation", CONTRACTOR]):
        assert is_one_sheet(site.file("page.pdf", *words)), words


def test_a_page_of_an_earlier_day_says_that_it_has_no_odds(site: Reported) -> None:
    page = site.file("past.html", "week", "--as-of", week_before(site)).decode()

    assert "No forecast is kept, so there are no odds" in sheet_of(page)


def test_what_is_left_before_the_commitment_is_the_same_in_every_place(site: Reported) -> None:
    """Also where no forecast is kept: then the plan is solved with what had happened, for the sentence and for the figure."""
    page = site.file("past.html", "week", "--as-of", site.document("log")[-2]["seq"]).decode()
    assert "No forecast is kept" in page
    dates = {row[0]: row[1] for row in rows_of(page, "Go-live: baseline")}

    left = date.fromisoformat(dates["Commitment"]) - date.fromisoformat(dates["Expected (working)"])

    assert tile_of(page, "Schedule contingency").startswith(f"{left.days} of ")
    assert "as of event" in sheet_of(page)
    assert not [row for row in rows_of(page, "Done this week") if row[0] == "Step 010"]


@needs("chromium", "pdfinfo")
def test_the_page_prints_as_one_sheet(site: Reported, page: str) -> None:
    assert page
    paper = site.folder / "printed.pdf"
    address = (site.folder / "week.html").as_uri()
    print_it = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--print-to-pdf={paper}", address]
    run(print_it, check=True, capture_output=True, timeout=60)

    said = run(["pdfinfo", str(paper)], check=True, capture_output=True, text=True).stdout
    assert re.search(r"Pages:\s+1\n", said), said


@pytest.mark.parametrize("photos", [0, 5])
def test_a_page_with_too_much_is_cut_and_says_by_how_much(photos: int) -> None:
    """A site of 300 pods has thousands of rows."""
    rows = [(f"row {number}" * 30, "x") for number in range(500)]
    table = counted_table("Long", ("a", "b"), (3, 1), rows)
    chart = Chart("Chart", Picture("", "", (), (7.4, 2.0), lambda figure: None))
    bands = [side_by_side(chart), *(side_by_side(table, table) for _ in range(5))]
    bands += [side_by_side(Photos("Photos", (Photo(b"", ""),) * photos))] if photos else []
    whole = Sheet("t" * 400, "s", ("line " * 200, "line"), (Tile("a", "b" * 90, "c"),) * 6, tuple(bands), "foot" * 200)

    page = fitted(whole, most=40)

    assert page.high <= HIGH
    (first, _) = page.bands[1].blocks
    assert isinstance(first, Table)
    assert first.rows
    assert first.more == f"and {500 - len(first.rows)} more"
    if not photos:  # these are no pictures
        assert is_one_sheet(pdf_page(page))


def test_a_month_begins_on_the_same_day_or_the_last_one_that_there_is() -> None:
    end_of_march = T0.replace(month=3, day=31)

    assert began("month", end_of_march, "UTC") == T0.replace(month=2, day=28)
    assert began("month", T0, "UTC") == T0.replace(year=2025, month=12)


def test_the_form_is_that_of_the_files_name(site: Reported) -> None:
    assert site.file("week.csv", "week").startswith(b"section,owner,id,what,date,note")
    assert site.file("week.md", "week").startswith(b"# REHEARSAL: Small, week to ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["week", "--format", "pdf"], "a PDF is not for the terminal"),
        (["week", "--out", "week.docx"], "'docx' is no format"),
        (["week", "--out", "nowhere/week.pdf"], "nowhere/week.pdf cannot be written"),
        (["phase", "plumbing"], "'plumbing' is no phase"),
        (["week", "--organisation", "Nobody"], "'Nobody' is no organisation of this site"),
        (["meeting", "--trade", "pilot"], "'pilot' is no trade"),
        (["meeting", "--trade", "Technicians"], "did you mean technician?"),
    ],
)
def test_what_cannot_be_reported_is_said(site: Reported, words: list[str], said: str) -> None:
    done = commands.called(["report", *words, "--site", site.folder], cwd=Path(site.folder))

    assert done.returncode in {2, 3}, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
