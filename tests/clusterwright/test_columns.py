"""Tables on the command line, as lines of text."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from clusterwright.columns import lines_of

TITLES = ("activity", "what", "days")


def drawn(*rows: tuple[str, ...], width: int = 80, right: tuple[int, ...] = ()) -> list[str]:
    return list(lines_of(TITLES, rows, width, right))


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert drawn(("001@site", "Place the order", "5")) == [
        " activity   what              days",
        " ─────────────────────────────────",
        " 001@site   Place the order   5",
    ]


def test_numbers_end_in_one_column() -> None:
    _, _, *rows = drawn(("a", "b", "5"), ("c", "d", "1234"), right=(2,))

    assert {len(row) for row in rows} == {len(rows[0])}
    assert rows[0].endswith("   5")


def test_a_table_without_rows_has_its_headers() -> None:
    assert len(drawn()) == 2


def test_a_long_cell_takes_several_lines_of_its_column() -> None:
    lines = drawn(("001@site", "Place the order for what will be there in a year", "5"), width=40)

    assert all(cell_len(line) <= 40 for line in lines)
    assert next(line.split()[0] for line in lines[2:]) == "001@site"
    assert " ".join(" ".join(line[12:].replace("5", "").split()) for line in lines[2:]) == (
        "Place the order for what will be there in a year"
    )


def test_only_the_widest_columns_are_cut() -> None:
    lines = drawn(("001@site", "word " * 40, "word " * 30), width=60)

    assert lines[2].startswith(" 001@site   ")
    assert all(cell_len(line) <= 60 for line in lines)


def test_a_word_that_is_too_long_is_broken_and_nothing_is_lost() -> None:
    name = "H12@hall-1#" + "x" * 100

    lines = drawn((name, "", ""), width=50)

    assert "".join(line.strip() for line in lines[2:]) == name


@pytest.mark.parametrize("text", ["東京データセンター", "東京データセンターのサーバー室とネットワーク機器の搬入"])
def test_marks_of_double_width_keep_the_columns_in_place(text: str) -> None:
    lines = drawn((text, "here", "1"), ("a", "here", "1"), width=40)

    starts = {cell_len(line[: line.index("here")]) for line in lines if "here" in line}
    assert len(starts) == 1
    assert all(cell_len(line) <= 40 for line in lines)


def test_a_cell_may_be_empty() -> None:
    assert drawn(("", "", ""))[2] == ""


def test_an_id_stays_whole_where_its_column_is_cut() -> None:
    lines = drawn(("H08@pod-001#compute-rack/1", "racks of the pod, in the order in which they come", "5"), width=60)

    assert lines[2].startswith(" H08@pod-001#compute-rack/1   ")
    assert all(cell_len(line) <= 60 for line in lines)


def test_where_the_words_do_not_fit_each_row_is_a_paragraph() -> None:
    """A column of three letters cannot be read."""
    headers = ("order", "supplier", "promised", "value", "state")
    row = ("H08@pod-001#compute-rack", "Fjord Servers", "2027-03-15", "9600000.00", "acknowledged")

    lines = list(lines_of(headers, [row, ("001@site#gpu-server", "", "2027-05-01", "", "placed")], 44, ()))

    assert lines == [
        " H08@pod-001#compute-rack   Fjord Servers",
        "    promised 2027-03-15; value 9600000.00;",
        "    state acknowledged",
        " 001@site#gpu-server",
        "    promised 2027-05-01; state placed",
    ]
