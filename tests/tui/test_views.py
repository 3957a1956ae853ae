"""Which rows a list shows: filters by field, order, groups and marks, without a screen."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.lists.column import Column, fitted
from tui.lists.saved import restore, save_view, saved_views
from tui.lists.view import Head, View
from tui.lists.words import Test


class Work(NamedTuple):
    """A row of these tests."""

    id: str
    title: str
    role: str
    days: int | None


ROWS = [
    Work("001@site", "Elevation of the racks", "surveyor", 3),
    Work("002@site", "Test the cold plates", "mechanical-engineer", None),
    Work("003@pod-001", "Close the breakers", "electrical-engineer", 12),
    Work("004@pod-001", "Label the cords", "electrical-engineer", -1),
]
COLUMNS = (
    Column[Work]("id", "activity", 12, lambda r: r.id),
    Column[Work]("title", "what", 0, lambda r: r.title),
    Column[Work]("role", "role", 20, lambda r: r.role, rank=2, groups=True),
    Column[Work]("days", "days", 5, lambda r: str(r.days or ""), lambda r: r.days, rank=1),
)


@pytest.fixture
def view() -> View[Work]:
    """Return a view of four rows, with a word and a field of its own."""
    made = View(COLUMNS, lambda r: r.id, {"late": lambda r: (r.days or 0) > 0}, {"unit": _unit})
    made.replace(ROWS)
    return made


def _unit(text: str) -> Test[Work]:
    return lambda row: row.id.endswith(f"@{text}")


def ids(view: View[Work]) -> list[str]:
    return [line.id[:3] for line in view.lines if not isinstance(line, Head)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["001", "002", "003", "004"]),
        ("late", ["001", "003"]),  # a word of the list, and not "plates"
        ("-late", ["002", "004"]),
        ("role:electrical", ["003", "004"]),
        ("role:electrical,surveyor", ["001", "003", "004"]),
        ("-role:electrical late", ["001"]),
        ("unit:site late", ["001"]),
        ("days:>3", ["003"]),
        ("days:<=3", ["001", "004"]),
        ('"cold plates"', ["002"]),
        ("cold plates", ["002"]),
        ("COLD", ["002"]),
        ("brkrs", ["003"]),  # its letters in this order, where nothing has the text
        ("role:nobody", []),
    ],
)
def test_a_filter_shows_what_all_of_its_words_are_true_of(view: View[Work], query: str, found: list[str]) -> None:
    view.filter(query)

    assert ids(view) == found
    assert view.wrong is None


def test_an_unknown_field_is_named_and_the_list_stays(view: View[Work]) -> None:
    view.filter("late")
    view.filter("late rolle:x")

    assert view.wrong is not None
    assert "no field 'rolle'" in view.wrong.what
    assert "role:" in view.wrong.hint
    assert ids(view) == ["001", "003"]


def test_a_list_is_sorted_up_down_and_as_it_came_with_what_has_no_value_last(view: View[Work]) -> None:
    orders = []
    for _ in range(3):
        view.sort("days")
        orders.append(ids(view))

    assert orders == [["004", "001", "003", "002"], ["003", "001", "004", "002"], ["001", "002", "003", "004"]]


def test_groups_are_folded_and_their_rows_are_marked_together(view: View[Work]) -> None:
    view.group("role")
    heads = [line for line in view.lines if isinstance(line, Head)]
    assert [(head.name, head.rows) for head in heads] == [
        ("surveyor", 1),
        ("mechanical-engineer", 1),
        ("electrical-engineer", 2),
    ]
    view.fold(heads[2])
    assert ids(view) == ["001", "002"]

    view.mark(view.in_group(heads[2]))
    assert view.marked == {"003@pod-001", "004@pod-001"}
    view.mark(view.in_group(heads[2]))
    assert view.marked == set()


def test_rows_that_are_gone_have_no_mark_and_the_filter_stays(view: View[Work]) -> None:
    view.filter("late")
    view.mark(["001@site", "003@pod-001"])
    view.replace([ROWS[0]._replace(days=0), *ROWS[2:]])

    assert view.marked == {"001@site", "003@pod-001"}
    assert ids(view) == ["003"]
    view.replace(ROWS[3:])
    assert view.marked == set()


@given(st.text(max_size=20))
def test_any_text_is_a_filter_or_says_what_is_wrong(query: str) -> None:
    made = View(COLUMNS, lambda r: r.id)
    made.replace(ROWS)
    made.filter(query)

    assert made.wrong is None or made.wrong.what
    assert set(ids(made)) <= {row.id[:3] for row in ROWS}


@given(st.integers(min_value=1, max_value=200))
def test_columns_fill_the_width_and_the_least_telling_go_first(width: int) -> None:
    shown = fitted(COLUMNS, width)

    names = [column.name for column, _ in shown]
    assert names[0] == "id"
    assert sum(cells for _, cells in shown) + len(shown) - 1 == width or len(shown) == 1
    assert names == [column.name for column in COLUMNS if column.name in names], "in their order"
    if "days" not in names:
        assert "role" not in names


def test_a_view_is_kept_and_found_again(view: View[Work], tmp_path: Path) -> None:
    view.filter("late")
    view.sort("days")
    view.group("role")
    view.hidden = {"title"}
    save_view(tmp_path, "Works", "mine", view)
    other = View(COLUMNS, lambda r: r.id, view.vocabulary.words)
    other.replace(ROWS)

    restore(other, saved_views(tmp_path)["Works"]["mine"])

    assert other.lines == view.lines
    assert other.hidden == {"title"}
    (tmp_path / ".clusterwright" / "views.json").write_text("{", encoding="utf-8")
    assert saved_views(tmp_path) == {}
