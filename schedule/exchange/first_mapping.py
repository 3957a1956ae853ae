"""A first mapping of another plan to ours, by names: for a person to check before anything follows from it.

Titles are compared word by word. A word counts the more, the fewer of our titles have it. Of a step at several units their
title, or the branch that it is in, must say which unit. What is not alike enough is left open, with what is nearest.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from schedule.csv_lines import write_rows
from schedule.errors import UnreachableError
from schedule.exchange.mapping import COLUMNS
from schedule.exchange.model import Exchange, ExchangeTask

ENOUGH = 0.6
"""The least confidence with which one of ours is filled in."""
ALIKE = 0.84
"""How alike two words must be to count as one: `delivery` and `deliver`, `rack` and `racks`."""
BEYOND = 0.2
"""What a word weighs that only our title has: ours are sentences, where other plans have a few words."""
MOST_NAMED = 4
WORD = re.compile(r"[a-z]+|[0-9]+")
SMALL = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})
UNIT = re.compile(r"\b(pod|su|scalable unit|hall|data hall|dh)[\s_#.-]*0*(\d+)\b")
HALLS = frozenset({"hall", "data hall", "dh"})
Words = frozenset[str]


class Match(NamedTuple):
    """One of theirs, and which of ours it is: empty where that is not sure. `confidence` is from 0 to 1."""

    task: ExchangeTask
    ours: str
    our_title: str
    confidence: float
    why: str


def first_mapping(theirs: Exchange, ours: Exchange) -> list[Match]:
    """Return a match for each activity of theirs, in their order. Only equal titles are the same one of ours twice."""
    titles = _Titles(ours)
    found = [titles.match(task, _branches(theirs, task)) for task in theirs.tasks]
    surest: dict[str, Match] = {}
    for match in found:
        if match.ours and match.confidence > surest.get(match.ours, match._replace(confidence=0)).confidence:
            surest[match.ours] = match
    return [_unless_taken(match, surest) for match in found]


def _unless_taken(match: Match, surest: Mapping[str, Match]) -> Match:
    best = surest.get(match.ours)
    if best is None or match.confidence == best.confidence:
        return match
    why = f"near {match.ours}, which {best.task.id} is rather"
    return match._replace(ours="", our_title="", why=why)


def write_mapping(found: Iterable[Match], path: Path) -> None:
    """Write a mapping for a person to check and to fill in. Raise for a file that is there."""
    rows = ((one.task.id, one.task.title, one.ours, one.our_title, f"{one.confidence:.2f}", one.why) for one in found)
    try:
        with path.open("x", encoding="utf-8-sig", newline="") as file:
            write_rows(file, [COLUMNS, *rows], end="\r\n")
    except OSError as error:
        raise UnreachableError(f"{path} cannot be written: {error.strerror}", hint="look at the folder") from None


def _branches(found: Exchange, task: ExchangeTask) -> str:
    """Return the titles of the branches that a task is in, the nearest first."""
    titles, branch = [], task.branch
    while branch is not None:
        titles.append(found.branches[branch].title)
        branch = found.branches[branch].parent
    return " / ".join(titles)


class _Titles:
    """Our titles: the tasks of each, and what their words weigh."""

    def __init__(self, ours: Exchange) -> None:
        self._tasks: dict[str, list[ExchangeTask]] = {}
        self._ids = {task.id: task for task in ours.tasks}
        for task in ours.tasks:
            self._tasks.setdefault(task.title, []).append(task)
        self._words = {title: words_of(title) for title in self._tasks}
        self._having: dict[str, list[str]] = {}
        for title, words in self._words.items():
            for word in words:
                self._having.setdefault(word, []).append(title)
        self._near: dict[str, list[str]] = {}

    def match(self, task: ExchangeTask, branches: str) -> Match:
        """Return which of ours a task of theirs is."""
        if task.id in self._ids:
            return Match(task, task.id, self._ids[task.id].title, 1.0, "the same id")
        words = words_of(UNIT.sub(" ", task.title.casefold()))
        title, confidence = max(
            ((title, self._alike(words, self._words[title])) for title in self._candidates(words)),
            key=lambda one: one[1],
            default=("", 0.0),
        )
        if confidence < ENOUGH:
            near = f"nearest: {self._tasks[title][0].id} {title}" if title else "no title has a word of it"
            return Match(task, "", "", confidence, near)
        said = "the same words" if confidence == 1 else "alike words"
        at = _at_unit(self._tasks[title], task.title, branches)
        if len(at) > 1:
            named = ", ".join(one.id for one in at[:MOST_NAMED]) + (" …" if len(at) > MOST_NAMED else "")
            return Match(task, "", "", confidence, f"{said} at {len(at)} units, say which: {named}")
        return Match(task, at[0].id, title, confidence, said)

    def _candidates(self, words: Words) -> list[str]:
        near = {title for word in words for known in self._known(word) for title in self._having[known]}
        return sorted(near)

    def _known(self, word: str) -> list[str]:
        """Return the words of ours that a word is, or is nearly."""
        if word not in self._near:
            alike = [] if word.isdigit() else difflib.get_close_matches(word, self._having, n=2, cutoff=ALIKE)
            self._near[word] = [word] if word in self._having else alike
        return self._near[word]

    def _alike(self, theirs: Words, ours: Words) -> float:
        """Return the share of what their title says that ours says too. What ours says beyond that counts a little."""
        common = {known for word in theirs for known in self._known(word) if known in ours}
        strange = [word for word in theirs if not any(known in ours for known in self._known(word))]
        both = sum(map(self._weight, common))
        apart = sum(map(self._weight, strange)) + BEYOND * sum(map(self._weight, ours - common))
        return round(both / (both + apart), 2) if both else 0.0

    def _weight(self, word: str) -> float:
        return math.log(1 + len(self._tasks) / len(self._having.get(word, ("",))))


def words_of(title: str) -> Words:
    """Return the words of a title that say something."""
    return frozenset(WORD.findall(title.casefold())) - SMALL


def _at_unit(tasks: Sequence[ExchangeTask], title: str, branches: str) -> Sequence[ExchangeTask]:
    """Return those of a title's tasks that are at the unit which their title names, else their branches. All where neither does."""
    for text in (title, branches):
        wanted = {
            (kind in HALLS, int(number)) for kind, number in UNIT.findall(text.casefold().replace("halls", "hall"))
        }
        found = [one for one in tasks if _unit(one.id) in wanted]
        if found:
            return found
    return tasks


def _unit(name: str) -> tuple[bool, int] | None:
    """Return whether the unit of one of our ids is a hall, and its number. None at the site."""
    kind, _, number = name.partition("@")[2].partition("#")[0].rpartition("-")
    return (kind == "hall", int(number)) if kind and number.isdigit() else None
