"""Rules broken on purpose, one at a time, and whether a test that a user would understand notices: `mutation.py COUNT SEED`.

As many mutants of each subject: the rules, the table of access, redaction, and what the weekly report says. Cosmic Ray changes the code, and
the table's rows get and lose people. Tests that compare source or the table's text are left out. A mutant that outlasts its time is not killed.
Each subject's tests must pass without a mutant first. Prints the survivors, and for each subject the row of docs/evidence/mutation.md: how
many mutants there are, were tried, were killed and took too long. Ends with 1 if more than one in twenty is not killed.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from ledger.rules.access import Who
from ledger.subjects.kinds import ACCESS

LEAST = 0.95
CREW = "rack-technician"
"""Who does the work at the tests' site. The marker itself would mean nobody in a row that is about no activity."""
LONGEST_S = 900
KILLED, SURVIVES, TOO_LONG = "killed", "SURVIVES", "too long"
TABLE = "ledger/subjects/kinds.py"
REDACTION = ("ledger/subjects/people/decisions.py", "ledger/subjects/people/making.py", "ledger/evidence/names.py")
REPORT = ("clusterwright/week_report.py", "ledger/questions/decisions_needed.py", "ledger/questions/reminders.py")
UNCHANGED = ("ledger/rules/approval.py", TABLE, REDACTION[0], REPORT[0])
"""A module of each subject, whose tests must pass as it is."""
OPERATORS = (
    "ReplaceComparisonOperator",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "AddNot",
    "NumberReplacer",
    "ZeroIterationForLoop",
    "ReplaceBinaryOperator_Add",
    "ReplaceBinaryOperator_Sub",
)
"""Not `|`, which is mostly a type here, and not decorators."""
THE_SAME = ("_Eq_Is", "_Is_Eq", "_NotEq_IsNot", "_IsNot_NotEq")
"""Of one state or role there is one object."""
LEFT_OUT = (
    "tests/ledger/test_access.py::test_every_decision_has_a_row_in_the_table",
    "tests/ledger/test_access.py::test_every_decision_asks_its_own_row",
)
"""They read source, or the table's own words."""
REPORTS = (
    "week_in_full",
    "reading",
    "report_pages",
    "contractor_page",
    "one_forecast",
    "halls",
    "hidden_marks",
    "privacy",
)
OF_REPORTS = tuple(f"tests/clusterwright/test_{name}.py" for name in REPORTS)
OF_QUESTIONS = tuple(f"tests/ledger/test_{name}.py" for name in ("reminders_in_full", "reminders", "decisions_needed"))


class Mutant(NamedTuple):
    """A file's text with one change, and what the change is."""

    file: str
    what: str
    text: str


def subjects() -> dict[str, list[Callable[[], Mutant]]]:
    """Return what makes each mutant of each subject."""
    found = [*Path("ledger/rules").glob("*.py"), *Path("ledger/subjects").glob("*/*rules.py")]
    rules = sorted(str(path) for path in found if path.name != "access.py")
    of_code = {"rules": tuple(rules), "redaction": REDACTION, "report": REPORT}
    mutants = {subject: [made for file in files for made in of_file(file)] for subject, files in of_code.items()}
    return mutants | {"access": list(of_table())}


def of_file(file: str) -> Iterator[Callable[[], Mutant]]:
    """Yield what makes each mutant of a module: each place where an operator applies."""
    source = Path(file).read_text(encoding="utf-8")
    nodes = list(ast_nodes(get_ast(source)))
    for name in operator_names():
        if name.endswith(THE_SAME) or not name.partition("/")[2].startswith(OPERATORS):
            continue
        operator = get_operator(name)()
        places = [place for node in nodes for place in operator.mutation_positions(node)]
        for number, (start, _) in enumerate(places):

            def made(
                operator: object = operator, number: int = number, where: str = f"{name}, line {start[0]}"
            ) -> Mutant:
                return Mutant(file, f"{file}: {where}", mutate_code(source, operator, number))

            yield made


def of_table() -> Iterator[Callable[[], Mutant]]:
    """Yield what makes each mutant of the table of access: somebody more or fewer in a row, and a condition less."""
    source = Path(TABLE).read_text(encoding="utf-8")
    for action, rule in ACCESS.items():
        others = [Who.ENGINE, "architect", CREW]
        if Who.ANYONE in rule.may:
            others = [Who.ENGINE]
        elif Who.CREW in rule.may:
            others.remove(CREW)
        changes = [f"may={(*rule.may, more)!r}" for more in others if more not in rule.may]
        changes += [f"may={tuple(who for who in rule.may if who != less)!r}" for less in rule.may if len(rule.may) > 1]
        changes += ["never=None"] * bool(rule.never) + ["outsiders=None"] * (rule.outsiders is not None)
        for change in changes:

            def made(action: str = action, change: str = change) -> Mutant:
                words = change
                for who in Who:
                    words = words.replace(repr(who), f"Who.{who.name}")
                row = f'who_may.ACCESS["{action}"]'
                text = f"{source}\nfrom ledger.rules.access import Who\n\n{row} = {row}._replace({words})\n"
                return Mutant(TABLE, f"{TABLE}: {action}, {words}", text)

            yield made


def tests_of(mutant: Mutant) -> list[str]:
    """Return the files of tests, those that name the module before the others."""
    if mutant.file == TABLE:
        # everybody tries every decision, held against a table written by hand; what suppliers' people may is in the second
        return ["tests/ledger/test_access.py", "tests/ledger/test_buying.py"]
    name = Path(mutant.file).stem
    files = [*map(str, Path("tests/ledger").rglob("test_*.py")), *OF_REPORTS]
    if mutant.file in REPORT:
        files = [*OF_QUESTIONS, *OF_REPORTS]
    return sorted(files, key=lambda file: (name not in file, name not in Path(file).read_text(encoding="utf-8"), file))


def verdict_on(mutant: Mutant, tree: Path) -> str:
    """Return what becomes of a mutant in a tree: killed, survives or too long. The tree is as before afterwards."""
    file = tree / mutant.file
    before = file.read_text(encoding="utf-8")
    file.write_text(mutant.text, encoding="utf-8")
    marked = "not lab" if mutant.file == TABLE else "not long and not lab"
    words = ["-x", "-q", "-m", marked, "-p", "no:cacheprovider"]
    words += [word for test in LEFT_OUT for word in ("--deselect", test)]
    try:
        found = subprocess.run(
            [sys.executable, "-m", "pytest", *words, *tests_of(mutant)],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)},
            capture_output=True,
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return TOO_LONG
    finally:
        file.write_text(before, encoding="utf-8")
    return SURVIVES if found.returncode == 0 else KILLED


def main() -> None:
    """Draw mutants, try each in a copy of the tree, and print who survives."""
    count, seed = map(int, sys.argv[1:3])
    began, chance = time.perf_counter(), random.Random(seed)
    found = subjects()
    drawn = [(subject, one()) for subject, made in found.items() for one in chance.sample(made, min(count, len(made)))]
    chance.shuffle(drawn)
    unchanged = [Mutant(file, f"{file}: nothing", Path(file).read_text(encoding="utf-8")) for file in UNCHANGED]
    lanes = os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="clusterwright-mutants-") as scratch, ThreadPoolExecutor(lanes) as pool:
        trees: Queue[Path] = Queue()
        for lane in range(lanes):
            tree = Path(scratch) / str(lane)
            subprocess.run(["git", "clone", "--quiet", "--shared", ".", str(tree)], check=True)
            trees.put(tree)

        def tried(mutant: Mutant) -> str:
            tree = trees.get()
            try:
                return verdict_on(mutant, tree)
            finally:
                trees.put(tree)

        if {*pool.map(tried, unchanged)} != {SURVIVES}:
            sys.exit("the tests fail without a mutant: nothing that they kill would mean anything")
        counts = Counter[tuple[str, str]]()
        verdicts = pool.map(tried, [mutant for _, mutant in drawn])
        for number, ((subject, mutant), verdict) in enumerate(zip(drawn, verdicts, strict=True)):
            counts[subject, verdict] += 1
            print(f"{number + 1:4} {verdict:8} {mutant.what}", flush=True)
    for subject, made in found.items():
        tries = min(count, len(made))
        print(f"| {subject} | {len(made):,} | {tries} | {counts[subject, KILLED]} | {counts[subject, TOO_LONG]} |")
    share = sum(counts[subject, KILLED] for subject in found) / len(drawn)
    print(f"{len(drawn)} tried, {share:.1%} killed, {time.perf_counter() - began:.0f} s, seed {seed}")
    sys.exit(share < LEAST)


if __name__ == "__main__":
    main()
