"""Marks that cannot be seen are refused where somebody types them, and visible wherever old text is shown."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rich.style import Style

from clusterwright.reports.html import html_page
from clusterwright.week_report import FORMATS, Line, WeekReport
from flows.dashboard.markdown import escaped
from ledger.subjects.work.decisions import comment
from ledger.writing import Ledger
from schedule.errors import InputError
from schedule.text import require_visible, shown, shown_in_json, shown_in_line
from tests.conftest import Command
from tui.lists.column import Column
from tui.lists.painting import Painter
from tui.lists.view import View
from tui.looks import Palette, safe, safe_lines

TURNED, NO_WIDTH, TITLE, BLANK = "\u202e", "\u200b", "\x1b]0;owned\x07", "\u3164"
FORGED = "seen\nsigned by owner as sponsor"


@pytest.mark.parametrize(
    "mark", [TURNED, NO_WIDTH, "\u2066", "\ufeff", "\u00ad", "\x9b", BLANK, "\u2028", "\U000e0041"]
)
def test_a_hidden_mark_is_shown_and_refused(mark: str) -> None:
    """Directions, blanks without width, controls of one byte, fillers, line separators, tags."""
    assert shown(f"ann{mark}") == f"ann<U+{ord(mark):04X}>"
    with pytest.raises(InputError, match=f"after 'ann': U\\+{ord(mark):04X}"):
        require_visible(f"ann{mark}", "the name", lines=True)


@pytest.mark.parametrize("text", ["Åsa Öberg", "李雷", "محمد", "שלום", "10 µΩ ✘ ⚠️ 🙂", "naïve – “quoted”", "ไทย"])
def test_what_people_write_is_left_as_it_is(text: str) -> None:
    assert shown_in_line(text) == text
    require_visible(text, "the name")


def test_several_lines_are_words_and_no_name() -> None:
    require_visible("first\n\tsecond\r\nthird", "the comment", lines=True)
    with pytest.raises(InputError, match="a line end or a tab after 'first'"):
        require_visible("first\nsecond", "the name")


def test_json_says_the_same_with_every_hidden_mark_escaped() -> None:
    """A program reads what was recorded. A person who looks at the document sees that something is there."""
    said = {"text": f"ä{TURNED}b\x7f\U000e0041\ud800", "lines": "a\nb"}

    written = shown_in_json(json.dumps(said, ensure_ascii=False, indent=2))

    assert json.loads(written) == said
    assert written.isascii() is False
    assert "\\u202e" in written
    assert not {TURNED, "\x7f", "\U000e0041"} & set(written)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["comment", "001@site", f"fine{TURNED}"], "the text has a mark that cannot be seen after 'fine': U+202E"),
        (
            ["hold", "001@site", "--reason", f"{NO_WIDTH}wait"],
            "the reason has a mark that cannot be seen at its beginning",
        ),
        (
            ["assign", "001@site", "--organisation", "Wires\nLtd"],
            "the organisation has a line end or a tab after 'Wires'",
        ),
        (
            ["plan", "adopt", "--yes", "--baseline", "B1", "--reason", f"more{TITLE}"],
            "the reason has a mark that cannot be seen after 'more'",
        ),
        (["sign", "001@site", "--comment", TURNED, "--export", "s.json"], "the comment has a mark that cannot be seen"),
    ],
)
def test_a_command_refuses_hidden_marks(adopted: Path, command: Command, words: list[str], said: str) -> None:
    before = command("status", "--json", "--site", adopted).stdout

    refused = command(*words, "--as", "owner", "--site", adopted)

    assert refused.returncode == 2, refused.stderr
    assert said in refused.stderr
    assert not {TURNED, NO_WIDTH, "\x1b", "\x07"} & set(refused.stderr)
    assert json.loads(command("status", "--json", "--site", adopted).stdout)["site"] == json.loads(before)["site"]


def test_a_comment_of_several_lines_is_recorded_and_looks_like_one(adopted: Path, command: Command) -> None:
    """It cannot forge a line of the page: where it ends is marked."""
    done = command("comment", "001@site", FORGED, "--as", "owner", "--site", adopted)

    page = command("show", "001@site", "--site", adopted).stdout
    log = json.loads(command("log", "--json", "--site", adopted).stdout)

    assert done.returncode == 0, done.stderr
    assert not [line for line in page.splitlines() if line.startswith("signed by owner")]
    assert "seen ⏎ signed by owner as sponsor" in page
    assert FORGED in json.dumps(log, ensure_ascii=False).replace("\\n", "\n")


def test_site_yaml_with_a_hidden_mark_is_refused_with_its_line(site: Path, command: Command) -> None:
    path = site / "site.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("name: Reviewer", f"name: Own{NO_WIDTH}er"), encoding="utf-8")
    line = next(number for number, each in enumerate(text.splitlines(), 1) if "name: Reviewer" in each)

    refused = command("plan", "--site", site)
    path.write_text(text.replace("name: Reviewer", 'name: "Owner\\nReviewer"'), encoding="utf-8")
    second = command("plan", "--site", site)

    assert refused.returncode == 2
    assert f"site.yaml:{line}: people[2].name: the text has a mark that cannot be seen after 'Own'" in refused.stderr
    assert second.returncode == 2
    assert f"site.yaml:{line}: people[2].name: it has a line end or a tab" in second.stderr


@pytest.fixture
def older(adopted: Path) -> Path:
    """A record that an earlier release wrote, or a program: with marks that turn and hide text."""
    with Ledger.open(adopted) as ledger:
        comment(ledger, "owner", "001@site", f"{TURNED}done{NO_WIDTH}{TITLE}\n{FORGED}")
    return adopted


@pytest.mark.parametrize("words", [["show", "001@site"], ["show", "001@site", "--json"], ["log", "--json"]])
def test_old_text_is_shown_with_its_marks(older: Path, command: Command, words: list[str]) -> None:
    shown_page = command(*words, "--site", older).stdout

    assert not {TURNED, NO_WIDTH, "\x1b", "\x07"} & set(shown_page)
    assert ("\\u202e" if "--json" in words else "<U+202E>") in shown_page


def test_screens_show_marks_and_keep_a_text_in_its_line() -> None:
    assert safe(f"a{TURNED}\nb").plain == "a<U+202E> ⏎ b"
    assert safe_lines(["note by ann: x\ny", "note by ben: z"]).plain.splitlines() == [
        "note by ann: x ⏎ y",
        "note by ben: z",
    ]
    column = Column[str]("c", "c", 0, lambda row: row)
    view = View([column], lambda row: row)
    view.replace([f"x\n{TURNED}"])
    palette: Palette = {"text": Style(), "attention": Style()}
    assert Painter(view, palette, 20, [(column, 17)]).line(view.lines[0]).text.split() == ["x", "⏎", "<U+202E>"]


def test_markdown_of_the_dashboard_shows_marks() -> None:
    assert escaped(f"a{TURNED}\n| b") == "a\\<U+202E\\> ⏎ \\| b"


@pytest.mark.parametrize("form", [*FORMATS, "html"])
def test_reports_show_marks(form: str) -> None:
    """A report is handed on, and read in programs that turn and hide what they are told to."""
    row = Line(f"Wires{TURNED}\nLtd", "001@site", f"=HYPERLINK(1){NO_WIDTH}", "2026-11-20", "\n| forged | row |")
    report = WeekReport("site", rehearsal=False, as_of="2026-11-20", go_live="", sections={"Late": (row,)})

    text = html_page(None, report) if form == "html" else FORMATS[form](report)

    assert not {TURNED, NO_WIDTH} & set(text)
    assert "U+202E" in text
    assert not [line for line in text.splitlines() if line.startswith(("Ltd", "| forged"))]
    if form == "csv":
        (_, cells) = csv.reader(io.StringIO(text))
        assert cells[1:4] == ["Wires<U+202E> ⏎ Ltd", "001@site", "'=HYPERLINK(1)<U+200B>"]


def test_a_contractors_name_is_no_link_in_the_headings_of_a_report() -> None:
    """Sections of a meeting's list are called by trades and contractors."""
    report = WeekReport(
        "site", rehearsal=False, as_of="", go_live="", sections={"rigger, [Sparks](http://example.org) <b>": ()}
    )

    headings = [line for line in FORMATS["md"](report).splitlines() if line.startswith("## ")]

    assert headings == [r"## rigger, \[Sparks\](http://example.org) \<b\> (0)"]
