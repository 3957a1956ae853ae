"""A person's first hour: `init` asks what the site is, and says in words what its first plan comes to."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from clusterwright.commands.site.tour import LOOK
from clusterwright.planning import plan_of
from tests.conftest import Command
from tests.ports import free_port

PEOPLE = "id,name,roles\nowner,One Owner,owner-pm\nbuyer,,buyer; sponsor\n"


def typed(folder: Path, *answers: str, words: tuple[str, ...] = ("init", "new")) -> str:
    """Return what a command says in a terminal to a person who types these lines."""
    screen, keyboard = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "clusterwright", *words], cwd=folder, stdin=keyboard, stdout=keyboard, stderr=keyboard
    ) as running:
        os.close(keyboard)
        os.write(screen, "".join(f"{answer}\n" for answer in answers).encode())
        said = b""
        while True:
            try:
                said += os.read(screen, 65_536)
            except OSError:  # Linux says so when the other side is closed
                break
        assert running.wait(60) == 0, said.decode()
    os.close(screen)
    return said.decode().replace("\r\n", "\n")


def test_answers_are_the_site_and_its_plan_is_said_in_words(tmp_path: Path) -> None:
    """Wrong answers are asked for again, with what is right."""
    (tmp_path / "ours.csv").write_text(PEOPLE, encoding="utf-8")

    said = typed(
        tmp_path, "h100-1k", "superpod-4su", "many", "96", "shel", "shell", "Norway", "no", "Oslo", "Europe/Oslo",
        "2027-13-01", "2027-02-01", "nobody.csv", "ours.csv",
    )  # fmt: skip

    made = plan_of(tmp_path / "new")
    assert (made.preset, made.facility, made.figures["nodes"]) == ("superpod-4su", "shell", 96)
    assert made.start.astimezone(ZoneInfo(made.time_zone)).date() == date(2027, 2, 1)
    assert (made.time_zone, made.country) == ("Europe/Oslo", "NO")
    assert {person.id: person.roles for person in made.people} == {
        "owner": ("owner-pm",),
        "buyer": ("buyer", "sponsor"),
    }
    for again in ("did you mean 'h100-10k'?", "whole number", "one of existing", "2027-01-04", "two letters", "IANA"):
        assert again in said
    words = " ".join(said.split())
    assert "You build 96 servers with 768 accelerators, from a building without power and cooling." in words
    assert f"it is live on {made.finish:%Y-%m-%d}" in words


def test_enter_takes_what_the_preset_says(tmp_path: Path) -> None:
    typed(tmp_path, *[""] * 7)

    asked, plain = tmp_path / "new", tmp_path / "other" / "new"
    typed(tmp_path, words=("init", str(plain), "--preset", "superpod-1su"))
    assert (asked / "site.yaml").read_text() == (plain / "site.yaml").read_text()


def test_nobody_is_asked_in_a_script(command: Command, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text(PEOPLE, encoding="utf-8")

    made = command("init", "new", "--people", "ours.csv", cwd=tmp_path)

    assert made.returncode == 0
    assert [person.id for person in plan_of(tmp_path / "new").people] == ["owner", "buyer"]


@pytest.mark.parametrize(("people", "said"), [("id\nowner\n", "roles"), (None, "cannot be read")])
def test_people_that_cannot_be_read_make_no_site(
    command: Command, tmp_path: Path, people: str | None, said: str
) -> None:
    if people:
        (tmp_path / "ours.csv").write_text(people, encoding="utf-8")

    refused = command("init", "new", "--people", "ours.csv", cwd=tmp_path)

    assert refused.returncode != 0
    assert said in refused.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.long
def test_a_tour_shows_a_site_in_mid_build_and_every_command_that_it_names_works(
    process: Command, command: Command, tmp_path: Path
) -> None:
    """A second one only shows it again."""
    made = process("tour", "--port", free_port(), cwd=tmp_path)

    assert made.returncode == 0, made.stderr
    site = tmp_path / "clusterwright-tour"
    assert "A site in mid-build is in clusterwright-tour" in made.stdout
    for words, _ in LOOK:
        shown = command(*words.split(), cwd=site)
        assert shown.returncode == 0, words
        assert len(shown.stdout.splitlines()) > 2, words
    assert "REHEARSAL, nothing here was really done" in command("status", cwd=site).stdout
    nothing = command("rehearse", "--until", "H36@pod-001", cwd=site)
    assert (nothing.returncode, "H36@pod-001 does not apply at this site" in nothing.stderr) == (2, True)
    again = command("tour", site, cwd=tmp_path)
    assert (again.returncode, "a rehearsal plays" in again.stderr + again.stdout) == (0, False)


def test_a_tour_touches_no_folder_with_other_files(command: Command, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()

    refused = command("tour", tmp_path, cwd=tmp_path)

    assert refused.returncode == 2
    assert "has other files" in refused.stderr
