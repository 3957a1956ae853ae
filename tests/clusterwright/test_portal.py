"""A site as a folder of pages: it opens from a file, each page leads to the others, and a contractor's has nothing of the owner's."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest

from clusterwright.reports.portal.folder import write_folder
from clusterwright.reports.portal.making import make_portal
from docs.browser import browser
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from schedule.errors import UnreachableError
from steps.planning.dates.dating import solved
from tests import commands
from tests.clusterwright.reported import CONTRACTOR, Reported, reported
from tests.clusterwright.test_contractor_page import DATES_OF_OWN_WORK, OWN, OWNERS_WORDS
from tests.ledger.conftest import T0, Clock, small_plan
from tests.needs import needs

pytestmark = pytest.mark.own_file

BAD = "</td></script><img src=x onerror='document.title=1'><script>document.title=2</script>"
HOSTILE = f"{BAD} 001@site {BAD}"
PAGES = {"index.html", "gantt.html", "floor.html", "activities/index.html", "procurement.html", "quality.html"}
NAMESPACES = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink")


class Page(HTMLParser):
    """A page as a browser reads it: where it leads, what it loads, its words, and the names of all attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.words: list[str] = []
        self.attributes: set[str] = set()
        self.scripts = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.attributes |= found.keys()
        self.scripts += tag == "script"
        if tag == "a":
            self.links.append(str(found["href"]))
        elif tag in {"script", "link", "img"}:
            self.loaded.append(str(found.get("src") or found.get("href")))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


class Portals(NamedTuple):
    """A site, its portal, and that of its contractor."""

    site: Reported
    owner: Path
    contractor: Path
    said: dict[str, Any]


@pytest.fixture(scope="module")
def made() -> Iterator[Portals]:
    with reported() as site:
        site.run("comment", OWN[0], HOSTILE, "--as", "tech")
        site.run("comment", OWN[0], "a day of delay costs us 99,000 EUR", "--as", "pm")
        owner, contractor = site.folder.parent / "owner", site.folder.parent / "contractor"
        said = site.document("report", "site", "--html", owner)
        site.run("report", "site", "--html", contractor, "--organisation", CONTRACTOR)
        yield Portals(site, owner, contractor, said)


def pages_of(folder: Path) -> dict[str, Page]:
    """Return the pages of a portal by their paths."""
    return {path.relative_to(folder).as_posix(): Page(path.read_text("utf-8")) for path in folder.rglob("*.html")}


def target(path: str, link: str) -> str:
    """Return where a link of a page leads, from the portal's folder."""
    place = Path("/", path).parent / unquote(link)
    return place.resolve().relative_to("/").as_posix()


def index_of(folder: Path) -> dict[str, Any]:
    """Return what the search looks through."""
    script = (folder / "search.js").read_text("utf-8")
    return dict(json.loads(script.removeprefix("portalIndex = ").removesuffix(";\n")))


def test_every_link_leads_to_a_page_and_every_page_is_reached(made: Portals) -> None:
    """Without a script too: from the first page, by links alone."""
    for folder in (made.owner, made.contractor):
        pages = pages_of(folder)
        files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        leads = {path: {target(path, link) for link in page.links} for path, page in pages.items()}
        assert [(path, to) for path, all_ in leads.items() for to in all_ if to not in pages] == []
        for path, page in pages.items():
            assert {target(path, name) for name in page.loaded if not name.startswith("data:image/")} <= files
            assert leads[path] >= PAGES
        seen, left = set(), ["index.html"]
        while left:
            path = left.pop()
            seen.add(path)
            left += leads[path] - seen
        assert seen == pages.keys()


def test_nothing_comes_from_elsewhere(made: Portals) -> None:
    """No network, and no place on a disk: it is copied to a stick, and opened on another machine."""
    for path in made.owner.rglob("*.*"):
        text = path.read_text("utf-8")
        for name in NAMESPACES:
            text = text.replace(f'"{name}"', '""')
        assert "://" not in text, path
        assert str(made.site.folder.parent) not in text, path


def test_each_activity_has_a_page_and_is_found(made: Portals) -> None:
    rows, index = made.site.document("list"), index_of(made.owner)

    assert [one[0] for one in index["activities"]] == [row["id"] for row in rows]
    for row, (name, title, state) in zip(rows, index["activities"], strict=True):
        step, _, unit = name.partition("@")
        page = Page((made.owner / "activities" / unit / f"{step}.html").read_text("utf-8")).text
        assert index["texts"][title] == row["title"]
        assert f"{name} {row['title']}" in page
        assert index["texts"][state] in page
    assert {"001@site#gpu-server", "NCR-0001", "pod-001"} <= {one[0] for one in index["others"]}
    assert made.said["activities"] == len(rows)


def test_each_page_says_of_which_record_it_is(made: Portals) -> None:
    last = made.site.document("log")[-1]

    for page in pages_of(made.owner).values():
        assert f"ledger head: event {last['seq']}, {last['hash'][:12]}" in page.text
        assert f"data date {last['effective_at'][:10]}" in page.text
        assert "REHEARSAL: people, suppliers and hardware are simulated" in page.text
        assert " Small " in page.text


def test_the_pages_have_the_figures_of_the_commands(made: Portals) -> None:
    status, shown = made.site.document("status"), made.site.document("show", OWN[0])
    pages = pages_of(made.owner)

    assert f"Commitment (P80) {status['commitment']['commitment'][:10]}" in pages["index.html"].text
    page = pages["activities/pod-001/010.html"].text
    assert shown["why"]["state_sentence"] in page
    assert f"Expected finish {shown['forecast']['on']}" in page
    assert f"Baseline finish {shown['baseline_finish'][:10]}" in page
    assert "two anchors are not marked" in page
    assert "rack.jpg" in page
    assert "1,200,000 USD" in pages["procurement.html"].text
    assert "two anchors are not marked" in pages["quality.html"].text
    assert "anchors are marked again" in pages["record.html"].text


def test_a_contractors_pages_have_none_of_the_owners_figures(made: Portals) -> None:
    pages, site = pages_of(made.contractor), made.site
    texts = {path: page.text for path, page in pages.items()}
    texts["search.js"] = (made.contractor / "search.js").read_text("utf-8")
    own = {f"activities/{name.partition('@')[2]}/{name.partition('@')[0]}.html" for name in OWN}
    waits = {
        line["id"] for line in site.document("report", "week", "--organisation", CONTRACTOR)["sections"]["Constraints"]
    }
    rows = [row for row in site.document("list") if row["id"] in OWN]
    dates = {str(row.get(name))[:10] for row in rows for name in DATES_OF_OWN_WORK}
    dates |= {event["effective_at"][:10] for name in OWN for event in site.document("log", name)}
    dates |= {one["on"] for name in OWN if (one := site.document("show", name)["forecast"])}

    assert {path for path in pages if re.search(r"/\d{3}\.html", path)} == own
    for path, text in texts.items():
        assert [word for word in OWNERS_WORDS if word.casefold() in text.casefold()] == [], path
        assert "99,000" not in text, path
        assert "float" not in text.casefold(), path
        assert set(re.findall(r"\d{4}-\d\d-\d\d", text)) <= dates, path
        assert set(re.findall(r"\b\d{3}@[a-z0-9-]+(?:#[a-z-]+(?:/\d+)?)?", text)) <= {*OWN, *waits, "001@site"}, path
    page = texts["activities/pod-001/010.html"]
    assert "two anchors are not marked" in page
    assert "rack.jpg" in page
    assert "in progress" in page
    assert "99,000 EUR" in pages_of(made.owner)["activities/pod-001/010.html"].text


def test_hostile_text_is_text(made: Portals) -> None:
    for folder in (made.owner, made.contractor):
        pages = pages_of(folder)
        assert HOSTILE in pages["activities/pod-001/010.html"].text
        for path, page in pages.items():
            assert page.scripts == 1, path
            assert not [name for name in page.attributes if name.startswith("on")], path
    assert "../../activities/site/001.html" in pages_of(made.owner)["activities/pod-001/010.html"].links


@needs("chromium")
def test_a_browser_opens_it_from_a_file_and_searches(made: Portals, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docs.browser.SETTLE_S", 0)
    with browser(390, 844) as shown:
        shown.go((made.owner / "activities/pod-001/010.html").as_uri(), "anchors are marked again")
        shown.wait("!document.querySelector('form').hidden")
        assert shown.ask("document.title").startswith("010@pod-001")
        assert shown.ask("document.documentElement.scrollWidth <= innerWidth")
        shown.ask("document.querySelector('input').focus()")
        shown.do("Input.insertText", text="20@pod-001")
        shown.wait("document.querySelector('form ol a')?.pathname.endsWith('activities/pod-001/020.html')")
        shown.ask("document.querySelector('form').requestSubmit()")
        shown.wait("document.title.startsWith('020@pod-001')")


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by their paths."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_record_makes_the_same_files_whenever_it_is_written(tmp_path: Path) -> None:
    """The data date is the time of the last event; on a site that is no rehearsal too."""
    (tmp_path / "site.yaml").write_text("name: Real\n", encoding="utf-8")
    with create_ledger(
        tmp_path, site_name="Real", time_zone="UTC", owner="pm", rehearsal=False, clock=Clock()
    ) as ledger:
        adopt_plan(ledger, "pm", solved(small_plan()).plan, reason="first plan")

    for days in (1, 400):
        with open_snapshot(tmp_path, T0 + timedelta(days=days)) as snapshot:
            written = make_portal(snapshot, tmp_path / f"after {days}", None, "")
    found = files_of(tmp_path / "after 1")

    assert found == files_of(tmp_path / "after 400")
    assert (written.files, written.bytes) == (len(found), sum(map(len, found.values())))
    assert b"REHEARSAL" not in found["index.html"]


def test_who_was_redacted_is_not_named(made: Portals, tmp_path: Path) -> None:
    """The evidence that named them is gone, and no page has it."""
    site = Reported(Path(shutil.copytree(made.site.folder, tmp_path / "site")))
    site.run("redact", "lead", "--reason", "asked for", "--yes", "--as", "pm")
    site.run("report", "site", "--html", tmp_path / "portal")

    assert any("Lena" in page.text for page in pages_of(made.owner).values())
    assert [path for path, page in pages_of(tmp_path / "portal").items() if "Lena" in page.text] == []


def test_a_portal_takes_the_place_of_a_portal_and_of_nothing_else(made: Portals, tmp_path: Path) -> None:
    """A contractor's in the place of the owner's leaves none of the owner's pages."""
    write = partial(made.site.run, "report", "site", "--organisation", CONTRACTOR, "--html")
    place = Path(shutil.copytree(made.owner, tmp_path / "portal"))
    write(place)
    assert files_of(place) == files_of(made.contractor)

    empty = tmp_path / "empty"
    empty.mkdir()
    write(empty)
    assert files_of(empty) == files_of(made.contractor)

    (place / "activities" / "mine.txt").write_text("mine", encoding="utf-8")
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "index.html").write_text("theirs", encoding="utf-8")
    for folder, rc, said in (
        (place, 2, "has files that are no portal's: activities/mine.txt"),
        (theirs, 2, "has files that are no portal's: index.html"),
        (theirs / "index.html", 2, "is a file"),
        (tmp_path / "no" / "where", 3, "there is no folder"),
        (Path("/"), 2, "is the root of a disk"),
    ):
        done = commands.called(["report", "site", "--html", folder, "--site", made.site.folder])
        assert (done.returncode, said in done.stderr) == (rc, True), done.stderr
    assert files_of(theirs) == {"index.html": b"theirs"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "portal", "theirs"]


def test_a_portal_that_cannot_be_written_whole_leaves_the_one_that_is_there(tmp_path: Path) -> None:
    def full() -> Iterator[tuple[str, str]]:
        yield "index.html", "new"
        raise OSError(28, "No space left on device")

    write_folder(tmp_path / "portal", [("index.html", "old")], 1)
    with pytest.raises(UnreachableError, match="No space left on device"):
        write_folder(tmp_path / "portal", full(), 1)

    assert (tmp_path / "portal" / "index.html").read_text("utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["portal"]


def test_nobody_else_has_a_portal(made: Portals, tmp_path: Path) -> None:
    done = commands.called(
        ["report", "site", "--html", tmp_path / "p", "--organisation", "Nobody", "--site", made.site.folder]
    )

    assert done.returncode == 2
    assert "'Nobody' is no organisation of this site" in done.stderr
