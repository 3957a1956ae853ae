"""Names of hosts in the field's short form: node-[001-031,040]. ClusterShell and Slurm take it as it is.

ClusterShell itself would read `!`, `@` and `,` in a name as operators, and ask the machine that it runs on for groups.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from schedule.errors import InputError
from schedule.text import HIDDEN, shown_in_line
from steps.amount import first_of

_NUMBERED = re.compile(r"([^.]*?)([0-9]{1,18})([^.0-9]*(?:\..*)?)", re.DOTALL)
"""A name whose first label has a number: what is before its last number, the number, and the rest."""

Series = dict[tuple[str, str, int], list[int]]
"""Numbers by what is before and behind them, and by how many digits they have. 0 digits: as many as each needs."""


_UNFIT = re.compile(rf"\s|{HIDDEN.pattern}")
"""What no name of a host may have: lists of hosts, in files and on command lines, are divided there."""

_NAMED = 3
"""How many names an error names."""


def require_host_names(names: Iterable[str], inventory: str) -> None:
    """Raise InputError for names with a blank or a mark that cannot be seen. `inventory` is where they are."""
    unfit = [name for name in names if _UNFIT.search(name)]
    if not unfit:
        return
    said = first_of([repr(shown_in_line(name)) for name in unfit], _NAMED)
    raise InputError(
        f"the inventory {inventory} has a host name with a blank or a hidden mark: {said}",
        hint="rename the host there, as in node-001; ansible_host may keep its address",
    )


def folded(names: Iterable[str]) -> str:
    """Return names with their numbers as ranges, in order. A name without a number comes last."""
    return ",".join(_parts(names))


def folded_within(names: Iterable[str], longest: int) -> str:
    """Return folded names in about so many characters. Where some are left out, it says how many there are."""
    names = tuple(names)
    text = ""
    for part in _parts(names):
        if len(text) + len(part) > longest:
            return f"{text or part[:longest]} … {len(names)} in all"
        text += f",{part}" if text else part
    return text


def _parts(names: Iterable[str]) -> list[str]:
    series: Series = defaultdict(list)
    others = []
    for name in sorted(set(names)):
        match = _NUMBERED.fullmatch(name)
        if match is None:
            others.append(name)
        else:
            before, number, after = match.groups()
            series[before, after, len(number)].append(int(number))
    in_order = sorted(_joined(series).items())
    return [_with_ranges(*key, found) for key, found in in_order] + others


def _joined(series: Series) -> Series:
    """Return the series with those joined that have no leading zeros: n[1-12] is one of them, n[08-12] is of two digits."""
    joined: Series = defaultdict(list)
    for (before, after, digits), numbers in series.items():
        is_padded = digits > 1 and min(numbers) < 10 ** (digits - 1)
        joined[before, after, digits if is_padded else 0] += numbers
    return joined


def _with_ranges(before: str, after: str, digits: int, numbers: list[int]) -> str:
    ranges: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    if len(numbers) == 1:
        return f"{before}{numbers[0]:0{digits}}{after}"
    parts = (f"{first:0{digits}}" if first == last else f"{first:0{digits}}-{last:0{digits}}" for first, last in ranges)
    return f"{before}[{','.join(parts)}]{after}"
