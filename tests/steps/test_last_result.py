"""A function that keeps its last result: one piece of work for one object, and never the result of another."""

from __future__ import annotations

from steps.last_result import keeps_last_result


def test_the_same_object_is_worked_out_once_and_an_equal_one_anew() -> None:
    asked: list[list[int]] = []

    @keeps_last_result
    def doubled(numbers: list[int]) -> list[int]:
        asked.append(numbers)
        return [2 * number for number in numbers]

    first, equal = [1, 2], [1, 2]

    assert doubled(first) == [2, 4]
    assert doubled(first) is doubled(first)
    assert doubled(equal) == [2, 4]
    assert len(asked) == 2
