"""Every command in the code blocks of the pages by hand is carried out, in its order, at a site as its page presupposes.

`ELSEWHERE` names pages that another test carries out whole, and `NOT_RUN` the commands that a test cannot carry out, with the reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.clusterwright import command_lines
from tests.conftest import project_time_at
from tests.pages import PAGES, ROOT, Note, Place, Typed
from tests.seldom import seldom

NOW = datetime(2026, 12, 8, 12, tzinfo=UTC)
"""When the pages are typed: what they look back at was, and what they are due on is to come."""

ELSEWHERE = {
    "docs/tutorials/discipline-lead.md": "tests/test_tutorials.py",
    "docs/tutorials/manager.md": "tests/test_examples.py",
    "docs/tutorials/owner.md": "tests/test_tutorials.py",
    "docs/tutorials/provisioning-engineer.md": "tests/test_tutorials.py",
    "docs/tutorials/tour.md": "tests/test_tutorials.py",
}

ENGINE = "it goes on until it is stopped, with Prefect's server: tests/clusterwright/test_engine_commands.py"
POSTGRES = "it needs a server with its roles: tests/ledger/test_shared.py"
NOT_RUN = {
    "README.md": {
        "tour": "tests/test_tutorials.py carries it out",
        "up --site my-site": ENGINE,
        "tui --site my-site": "it needs a terminal: tests/tui",
    },
    "docs/explanation/ledger.md": {"database check": POSTGRES, "database load --role postgres": POSTGRES},
    "docs/how-to/catalog.md": {"catalog lint": "`make lint` carries it out: it takes a minute"},
    "docs/how-to/day-two.md": {
        "reopen 008@pod-001 031@pod-001 034@pod-001 035@pod-001 --host pod-001-n07 --reason 'RMA 4711: board replaced'": (
            "it needs runs on hosts: tests/clusterwright/test_inventory_command.py"
        )
    },
    "docs/how-to/engine.md": {"up --detach --metrics-port 9464": ENGINE, "logs --follow": ENGINE, "down": ENGINE},
    "docs/how-to/runs.md": {"drift 143@site": "it needs a host that a run has changed: tests/flows/test_previewing.py"},
    "docs/tutorials/localhost.md": {"up": ENGINE},
}
"""Commands of a page, each with the reason why it is not carried out here."""

LINES = {
    page: [re.sub(r"\s+# .*", "", line).replace("\\\n", " ").rstrip() for line in command_lines.typed(path)]
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if (page := path.relative_to(ROOT).as_posix()) not in ELSEWHERE
}
TYPED_HERE = [page for page, lines in LINES.items() if lines]
DEAR = {
    *(f"docs/how-to/{name}.md" for name in ("field-sheets", "interchange", "pictures", "reports")),
    *("docs/reference/design.md", "docs/tutorials/localhost.md"),
}
"""Each takes two seconds of a processor or more, and other tests ask the same of each command: these are long."""


@pytest.fixture(scope="module", autouse=True)
def _now() -> Iterator[None]:
    """Let it be some weeks after the plan of the site was adopted."""
    with project_time_at(NOW):
        yield


@pytest.fixture
def place(tmp_path: Path, adopted_once: Path) -> Iterator[Place]:
    """Return where a page is typed."""
    with ExitStack() as until_the_end:
        yield Place(tmp_path, adopted_once, until_the_end)


def begins(line: str, begin: str) -> bool:
    """Return whether a line begins with these words."""
    return f"{line} ".startswith(f"{begin} ")


def with_person(line: str, person: str) -> str:
    """Return a line of a page with who acts, where the command takes that and the page leaves it out."""
    takes = {name for one in command_lines.parsed(line).command.params for name in one.opts}
    return line if "--as" not in takes or "--as " in line else f"{line} --as {person}"


def in_order(page: Typed, lines: list[str]) -> Iterator[tuple[str, Note]]:
    """Yield each line as somebody at the site types it, with the note on it."""
    seen = Counter[str]()
    for line in lines:
        begin = max((one for one in page.notes if begins(line, one)), key=len, default="")
        notes = page.notes.get(begin, ())
        note = notes[min(seen[begin], len(notes) - 1)] if notes else Note()
        seen[begin] += 1
        yield with_person(" ".join(page.words.get(word, word) for word in line.split(" ")), page.acting), note


@pytest.mark.parametrize("page", [seldom(page) if page in DEAR else page for page in TYPED_HERE])
def test_every_command_of_a_page_does_what_it_says(page: str, place: Place) -> None:
    """With the exit code that the page names, else with 0."""
    how = PAGES.get(page, Typed())
    how.first(place)
    wrong = []

    for line, note in in_order(how, [line for line in LINES[page] if line not in NOT_RUN.get(page, ())]):
        note.before(place)
        ended = place.carry_out(line, note.typed)
        if ended.returncode != note.ends:
            wrong.append(f"{line}\n  ends with {ended.returncode}: {ended.stdout}{ended.stderr}")

    assert not wrong, "\n".join(wrong)


def test_what_is_not_carried_out_is_a_command_of_its_page() -> None:
    """And so is what needs a note: a list that names nothing would hide what comes to be there."""
    noted = [(page, begin) for page, how in PAGES.items() for begin in how.notes]

    assert [line for page, lines in NOT_RUN.items() for line in lines if line not in LINES[page]] == []
    assert [begin for page, begin in noted if not any(begins(line, begin) for line in LINES[page])] == []
    assert [page for page in PAGES if page not in TYPED_HERE] == []


@pytest.mark.parametrize("page", ELSEWHERE)
def test_a_page_that_another_test_carries_out_is_named_there(page: str) -> None:
    assert Path(page).name in (ROOT / ELSEWHERE[page]).read_text(encoding="utf-8")
