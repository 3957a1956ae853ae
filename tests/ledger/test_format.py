"""The tables of a released format never change in silence: a file that says format 2 is read as the release wrote it.

What a release's tables were is in its golden ledger. The format that no release has yet may change from day to day; it
is fixed by the release that CHANGELOG.md names next, whose golden ledger has to be put beside the others.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ledger.stores.file import FORMAT, LEDGER_FILE
from ledger.stores.sqlite import create_schema, file_engine

pytestmark = pytest.mark.own_file

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
RELEASES = sorted(path.name.removesuffix(".tar.xz") for path in GOLDEN.glob("*.tar.xz"))


def definitions(connection: sqlite3.Connection) -> Iterator[str]:
    """Return every table's columns with type, emptiness and place in the key, its uniqueness and its references."""
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
        for _, column, kind, needed, _, key in connection.execute(f'PRAGMA table_info("{table}")'):
            yield f"{table}.{column} {kind}{' not null' if needed else ''}{f' key {key}' if key else ''}"
        for _, index, unique, *_ in connection.execute(f'PRAGMA index_list("{table}")'):
            columns = [row[2] for row in connection.execute(f'PRAGMA index_info("{index}")')]
            yield f"{table} {'unique' if unique else 'index'} {', '.join(columns)}"
        for reference in connection.execute(f'PRAGMA foreign_key_list("{table}")'):
            yield f"{table}.{reference[3]} -> {reference[2]}.{reference[4]}"


def read(file: Path) -> tuple[int, list[str]]:
    """Return a ledger file's format and definitions."""
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0], sorted(definitions(connection))


@pytest.fixture
def today(tmp_path: Path) -> list[str]:
    """Return the definitions of a ledger that is begun now."""
    engine = file_engine(tmp_path / "new.db")
    create_schema(engine)
    engine.dispose()
    held, defined = read(tmp_path / "new.db")
    assert held == FORMAT
    return defined


@pytest.fixture
def released(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[int, list[str]]:
    """Return the format and the definitions of a release's ledger."""
    shutil.unpack_archive(GOLDEN / f"{request.param}.tar.xz", tmp_path)
    return read(tmp_path / request.param / LEDGER_FILE)


@pytest.mark.parametrize("released", RELEASES, indirect=True)
def test_tables_other_than_a_releases_have_another_format(released: tuple[int, list[str]], today: list[str]) -> None:
    """The format says whether a file is replayed into new tables; one that does not differ is read as it is."""
    held, defined = released

    assert held <= FORMAT
    if held == FORMAT:
        assert today == defined, "released: count FORMAT up in ledger/stores/file.py, and files are upgraded by replay"


@pytest.mark.parametrize("released", RELEASES, indirect=True)
def test_the_events_keep_their_table(released: tuple[int, list[str]], today: list[str]) -> None:
    """Events are never replayed into another table: their columns are those of the first release."""
    _, defined = released

    columns = ("event.", "event unique")  # an index is made in a file that is there already
    assert [line for line in today if line.startswith(columns)] == [
        line for line in defined if line.startswith(columns)
    ]


def test_every_release_has_left_its_ledger_here() -> None:
    """Without it, nothing would hold the tables of that release, nor its events, to what they were."""
    named = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert {f"v{version}" for version in named} == set(RELEASES)


@pytest.mark.parametrize("released", ["v0.1.0"], indirect=True)
def test_the_first_release_wrote_format_1_and_its_tables_are_told_from_todays(
    released: tuple[int, list[str]], today: list[str]
) -> None:
    """The comparison is no formality: it sees that today's tables are others."""
    held, defined = released

    assert held == 1
    assert "event.seq INTEGER not null key 1" in defined
    assert today != defined
