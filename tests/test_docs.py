"""Pages that follow from the code are made, every command of a page is one, and every link leads to a page.

`make docs` holds the headings that links name too, and pages that are in no list.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from typer._click.exceptions import NoSuchOption, UsageError

from benchmarks.structure import ROOMS
from schedule.errors import InputError
from steps.catalog.terms import Kind
from steps.design.design import design_of_preset
from steps.design.preset import preset_names
from tests.clusterwright import command_lines
from tests.shipped import shipped_catalog

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = {".py", ".md", ".yml", ".yaml", ".html"}


@pytest.fixture
def generated(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], Iterator[str]]]:
    """Return what makes the pages that follow from the code, by their names. They are not kept in git."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    made: dict[str, Callable[[], Iterator[str]]] = importlib.import_module("generate").PAGES
    return made


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/catalog.md"])
def test_pages_that_count_hold_points_count_those_of_the_catalog(page: str) -> None:
    counted = re.findall(r"195 steps .*?(\d+) hold points", (ROOT / page).read_text(encoding="utf-8"))

    assert counted == [str(sum(not step.isdigit() for step in shipped_catalog()))]


def test_what_a_playbook_does_and_how_it_was_proved_is_told_of_every_playbook_and_of_nothing_else() -> None:
    entries = yaml.safe_load((ROOT / "docs" / "automation.yaml").read_text(encoding="utf-8"))
    playbooks = {
        path.relative_to(ROOT / "playbooks").as_posix() for path in (ROOT / "playbooks").glob("*/[0-9HX][0-9]*_*.yml")
    }

    assert {name for name in entries if "/" in name} == playbooks, "docs/automation.yaml has an entry a playbook"
    for name in playbooks:
        entry = entries[name]
        assert set(entry) <= {"does", "proved", "how", "broken", "needs"}, name
        assert entry["does"], name
        assert entry["proved"] in {"hardware", "lab", "simulator", "rendered", "nothing"}, name
        assert "broken" not in entry or entry["proved"] in {"hardware", "lab", "simulator"}, name


def test_a_step_that_was_not_made_for_real_says_what_it_lacks() -> None:
    """A test or a playbook that it names is there."""
    text = (ROOT / "docs" / "automation.yaml").read_text(encoding="utf-8")
    entries = yaml.safe_load(text)
    steps = [
        e.step
        for e in shipped_catalog().values()
        if e.step.id.isdigit() and e.step.kind in (Kind.AUTOMATE, Kind.VERIFY)
    ]
    without = {step.id for step in steps if not step.playbook and not step.completed_by}

    assert {name for name in entries if "/" not in name} == without
    rows = [entries[step.playbook or step.id] for step in steps if step.playbook or step.id in without]
    assert [row for row in rows if row["proved"] in {"rendered", "nothing"} and not row.get("needs")] == []
    assert [name for name in re.findall(r"`(tests/\S+\.py)`", text) if not (ROOT / name).exists()] == []


def test_the_table_of_automated_steps_has_every_automate_and_verify_step_once_and_once_for_each_other_design(
    generated: dict[str, Callable[[], Iterator[str]]],
) -> None:
    page = "\n".join(generated["automated-steps.md"]())
    rows = re.findall(r"^\| ([0-9HX][0-9]+) \|", page.partition("## Run by a person")[0], flags=re.MULTILINE)
    numbered = [entry.step for entry in shipped_catalog().values() if entry.step.id.isdigit()]

    assert sorted(rows) == sorted(
        entry.step.id
        for entry in shipped_catalog().values()
        if entry.step.kind in {"automate", "verify"}
        for _ in (None, *entry.step.alternatives)
    )
    assert sum(1 for step in numbered if step.kind == "automate") == 74
    assert sum(1 for step in numbered if step.kind == "verify") == 36


def test_every_link_of_a_page_leads_to_a_file(generated: dict[str, Callable[[], Iterator[str]]]) -> None:
    """A page that follows from the code counts as one: the built docs have it in `reference`."""
    made = {ROOT / "docs" / "reference" / name for name in generated}
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            place = (page.parent / target).resolve()
            assert target.startswith("http") or place in made or place.exists(), f"{page.name} points to {target}"


def test_every_command_of_a_generated_page_is_taken_by_the_parser(tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "docs" / "generate.py"), str(tmp_path)]
    subprocess.run(script, check=True)

    for page in tmp_path.iterdir():
        for line in [*command_lines.typed(page), *command_lines.named(page)]:
            assert command_lines.fault(line) == "", f"{page.name}: {line}"


def test_every_command_the_readme_names_is_there() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "clusterwright", "--help"], capture_output=True, text=True, check=True
    )
    commands = set(re.findall(r"^  ([a-z]+) ", result.stdout, flags=re.MULTILINE))
    named = set(re.findall(r"\$ clusterwright ([a-z]+)", (ROOT / "README.md").read_text(encoding="utf-8")))

    assert named
    assert named <= commands


DOCUMENT = re.compile(
    r"\breport\b|guide|data sheet|manual|brief|specification|health checks|ANSI|ASHRAE|IEC|IEEE|NFPA|NIST|RFC|the lesson|the comparison"
)
"""What the source of a figure is called where it is a document, and not a sentence of ours."""


def test_every_document_that_a_figure_or_a_step_names_is_in_the_list_of_sources() -> None:
    page = (ROOT / "docs" / "reference" / "sources.md").read_text(encoding="utf-8")
    columns = re.findall(r"^\| ([^|]+) \|", page, flags=re.MULTILINE)
    known = [name for column in columns for name in column.split(", ")]
    designs = [design_of_preset(name) for name in preset_names()]
    named = {document for entry in shipped_catalog().values() for document in entry.step.sources.documents}
    named |= {source for design in designs for source in design.preset.sources}
    figures = {source for design in designs for source in design.sources.values()}

    assert len(figures) > 100
    named |= set(filter(DOCUMENT.search, figures))
    documents = {source for source in named if not source.startswith(("assumption", "simulated"))}
    unknown = {source for source in documents if not any(name in source for name in known)}
    assert unknown == {"acceptance schedule of the supply contract"}, "docs/reference/sources.md lacks a document"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_of_a_page_is_taken_by_the_parser(page: Path) -> None:
    for line in command_lines.typed(page):
        command_lines.parsed(line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_option_that_a_page_names_is_there(page: Path) -> None:
    """Pages say `sign ID --export FILE` without the program's name, and have words in the place of values."""
    for line in command_lines.short(page):
        try:
            command_lines.parsed(line)
        except NoSuchOption as error:
            pytest.fail(f"{line}: {error.message}")
        except (InputError, UsageError):
            continue


@pytest.mark.parametrize("folder", [*ROOMS, "docs", "examples", "playbooks"])
def test_every_command_that_a_text_or_a_message_names_is_there(folder: str) -> None:
    """Messages leave out what people know, and go on in words: what they name has to be there."""
    for file in sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in TEXTS):
        for line in command_lines.named(file):
            assert command_lines.fault(line) == "", f"{file}: {line}"


def test_a_line_with_a_name_that_is_not_there_is_refused() -> None:
    """The tests above can fail."""
    for line in (
        "check H08@pod-001 rack-01",
        "check items H08@pod-001",
        "adopt progress.csv",
        "sign 034@pod-001 --yes",
    ):
        with pytest.raises((InputError, UsageError)):
            command_lines.parsed(line)
