"""`export labels`: of items, of both ends of cables and of deliveries, as pages of labels or for a label printer."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from clusterwright.label_pages import STOCKS, Code, Stock, write_labels
from clusterwright.labels import Label
from ledger.questions.case import require_activity
from ledger.questions.checks import planned_items
from ledger.reading import open_snapshot
from schedule.errors import InputError
from tests.commands import called

CABLING = "046@pod-001"


@pytest.fixture(scope="module")
def site(adopted_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that is only read."""
    return Path(shutil.copytree(adopted_once, tmp_path_factory.mktemp("labels") / "site"))


def rows(site: Path, *about: str) -> list[dict[str, str]]:
    """Return labels as a label printer's program reads them."""
    path = site.parent / "labels.csv"
    done = called(["export", "labels", path, *about, "--site", site])
    assert done.returncode == 0, done.stderr
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_both_ends_of_a_cable_have_a_label_that_names_the_other(site: Path) -> None:
    """The code is the name that `check scan` takes."""
    with open_snapshot(site) as snapshot:
        cables = planned_items(snapshot, require_activity(snapshot, CABLING))

    found = rows(site, CABLING)

    assert [row["code"] for row in found] == [cable for cable in cables for _ in range(2)]
    for here, there in zip(found[::2], found[1::2], strict=True):
        assert here["line 3"] == f"to {there['line 2']}"
        assert there["line 3"] == f"to {here['line 2']}"
        assert re.fullmatch(r"hall-1/row-\d\d/rack-\d\d  \d+ m", here["line 4"])


def test_the_checklist_and_the_sheet_say_of_a_cable_what_its_labels_say(site: Path) -> None:
    """Who lays it has a sheet, who looks after the work has the list: port, rack and length are those of the label."""
    here, there = rows(site, CABLING)[:2]
    (rack, metres), (other_rack, _) = (row["line 4"].split("  ") for row in (here, there))
    where = f"{here['line 2']} in {rack} <> {there['line 2']} in {other_rack}, {metres}"

    listed = json.loads(called(["check", "list", CABLING, "--json", "--site", site]).stdout)["rows"]
    sheet = site.parent / "cables.csv"
    called(["export", "sheet", sheet, CABLING, "--of", "items", "--site", site])

    assert (listed[0]["item"], listed[0]["where"]) == (here["code"], where)
    assert where in called(["check", "list", CABLING, "--site", site]).stdout
    assert f'{here["code"]},"{where}",open' in sheet.read_text(encoding="utf-8-sig")


def test_deliveries_have_their_id_as_code(site: Path) -> None:
    """With what comes, how much, and for which units."""
    (row,) = rows(site, "001@site#gpu-server/1")
    assert (row["code"], row["line 3"]) == ("001@site#gpu-server/1", "32 server  pod-001")


def test_pages_hold_as_many_labels_as_the_sheet(site: Path) -> None:
    """8 racks are one page, and the labels of all servers and racks two."""
    for about, said in ((["H08@*"], "8 labels on 1 page of"), (["H08@*", "H09@*"], "40 labels on 2 pages")):
        path = site.parent / "labels.pdf"
        done = called(["export", "labels", path, *about, "--site", site])
        assert said in done.stderr
        assert path.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("stock", STOCKS.values(), ids=list(STOCKS))
def test_labels_are_on_their_page(stock: Stock) -> None:
    """The last one ends before the page does."""
    for side, number in ((0, stock.columns), (1, stock.rows)):
        end = stock.first[side] + (number - 1) * stock.step[side] + stock.label[side]
        assert end <= stock.page[side]
        assert stock.label[side] <= stock.step[side]


def test_a_code_that_scanners_could_not_read_is_not_printed(tmp_path: Path) -> None:
    """Bars narrower than 0.19 mm."""
    label = Label("hall-1/row-02/rack-01", ("hall-1/row-02/rack-01", "", ""))
    assert write_labels([label], tmp_path / "wide.pdf", STOCKS["L7160"], Code.CODE128) == 1
    with pytest.raises(InputError, match="too long for a Code 128"):
        write_labels([label], tmp_path / "small.pdf", STOCKS["L7651"], Code.CODE128)


def test_what_the_plan_only_counts_has_no_labels(site: Path) -> None:
    """No sheet of nothing."""
    done = called(["export", "labels", site.parent / "none.pdf", "018@pod-001", "--site", site])
    assert (done.returncode, "only counts them" in done.stderr) == (2, True)
    assert not (site.parent / "none.pdf").exists()
