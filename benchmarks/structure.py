"""The shape of the code, as figures: `python -m benchmarks.structure`.

For each room: syntax-tree nodes, modules, the longest chain of imports, circles, public class names that occur twice, modules
over 400 lines, lines over 25 tokens, and docstrings that begin with "Give". Imports inside functions count, imports for type
checking do not. At the end, the files of `ledger` through which one sign-off runs. `tests/test_structure.py` keeps the limits.
"""

from __future__ import annotations

import ast
import io
import sys
import tempfile
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from types import FrameType
from typing import Any

import grimp

from ledger.entries import RunOutcome
from ledger.subjects.runs.decisions import settle
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import measure
from ledger.writing import Ledger
from tests.ledger.conftest import Clock, adopt_small_plan, begun
from tests.ledger.journey import GOOD, bought, passed, racked, take

ROOT = Path(__file__).parent.parent
ROOMS = ("schedule", "steps", "ledger", "flows", "tui", "clusterwright")
MOST_LINES = 400
MOST_TOKENS = 25
F_STARTS, F_ENDS = getattr(tokenize, "FSTRING_START", None), getattr(tokenize, "FSTRING_END", None)
"""An f-string counts as one token, as it is before Python 3.12."""

TOKENS = frozenset({tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING, F_ENDS})
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

VERIFIED = "030@pod-001"
"""An activity with criteria, of which a run reads one and a person the other."""


def import_graph() -> dict[str, set[str]]:
    """Return which modules of the rooms each module imports, inside functions too."""
    graph = grimp.build_graph(*ROOMS, exclude_type_checking_imports=True, cache_dir=None)
    found = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    found["ledger.subjects.kinds"] |= {
        module for module in found if ".kinds." in module
    }  # it finds them in their folders
    return found


def circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """Return the groups of modules that import each other, directly or through others."""
    reached = {module: _reached(graph, module) for module in graph}
    mutual = (frozenset(other for other in reached[module] if module in reached[other]) for module in graph)
    return {group for group in mutual if group}


def _reached(graph: dict[str, set[str]], module: str) -> set[str]:
    found: set[str] = set()
    front = [module]
    while front:
        new = graph[front.pop()] - found
        found |= new
        front += new
    return found


def longest_chain(graph: dict[str, set[str]], package: str) -> list[str]:
    """Return the longest chain of imports among the modules of a package, the importing module first."""
    members = {module for module in graph if f"{module}.".startswith(f"{package}.")}
    within = {module: graph[module] & members for module in members}
    chains: dict[str, list[str]] = {}
    for module in TopologicalSorter(within).static_order():
        below = max((chains[imported] for imported in within[module]), key=len, default=[])
        chains[module] = [module, *below]
    return max(chains.values(), key=len)


def loose_modules(folder: str) -> list[str]:
    """Return the names of the modules of a folder that are in none of its packages."""
    return sorted(path.stem for path in (ROOT / folder).glob("*.py") if path.stem != "__init__")


def sources(folder: str) -> list[Path]:
    """Return the Python files under a folder of the project."""
    return sorted((ROOT / folder).rglob("*.py"))


def nodes(folder: str) -> int:
    """Return how many syntax-tree nodes the files of a folder have."""
    trees = (ast.parse(path.read_bytes()) for path in sources(folder))
    return sum(1 for tree in trees for _ in ast.walk(tree))


def classes_twice(room: str) -> dict[str, list[str]]:
    """Return the public class names that occur in more than one file of a room, with the files."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sources(room):
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(_shown(path))
    return {name: files for name, files in found.items() if len(files) > 1}


def long_modules(room: str) -> dict[str, int]:
    """Return the files over 400 lines, with their length."""
    lengths = {_shown(path): len(path.read_text(encoding="utf-8").splitlines()) for path in sources(room)}
    return {name: length for name, length in lengths.items() if length > MOST_LINES}


def long_lines(folder: str) -> list[str]:
    """Return the places of lines over 25 tokens."""
    return [place for path in sources(folder) for place in _long_lines(path)]


def _long_lines(path: Path) -> Iterator[str]:
    counted, depth = Counter[int](), 0
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        depth -= token.type == F_ENDS
        counted[token.start[0]] += not depth and token.type in TOKENS
        depth += token.type == F_STARTS
    for line, count in sorted(counted.items()):
        if count > MOST_TOKENS:
            yield f"{_shown(path)}:{line}"


def giving_docstrings(folder: str) -> list[str]:
    """Return the places of docstrings that begin with "Give"."""
    return [f"{_shown(path)}:{line}" for path in sources(folder) for line in _giving(path)]


def _giving(path: Path) -> Iterator[int]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, DOCUMENTED) and (ast.get_docstring(node) or "").startswith("Give"):
            yield getattr(node, "lineno", 1)


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def files_of_a_sign_off(site_dir: Path) -> list[str]:
    """Return the files of `ledger` in which one `sign()` calls a function, `__init__` not counted.

    What is signed is an activity with criteria, which a run and a person have read.
    """
    clock = Clock()
    with begun(site_dir, clock) as ledger:
        adopt_small_plan(ledger)
        _awaiting_sign_off(ledger, clock)
        return files_called(ROOT / "ledger", lambda: sign(ledger, "lead", VERIFIED))


def _awaiting_sign_off(ledger: Ledger, clock: Clock) -> None:
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    take(ledger, VERIFIED)
    by_run, by_hand = GOOD
    settle(ledger, "engine-1", VERIFIED, RunOutcome("ok", measurements=(by_run,)))
    measure(ledger, "tech", VERIFIED, by_hand.metric, value=True, unit="yes/no", item=by_hand.item)


def files_called(folder: Path, call: Callable[[], object]) -> list[str]:
    """Return the files of a folder in which a call runs a function, `__init__` not counted."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "__init__" and code.co_filename.startswith(f"{folder}/"):
            found.add(_shown(Path(code.co_filename)))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return sorted(found)


def main() -> None:
    """Print every figure."""
    graph = import_graph()
    for circle in circles(graph):
        print("circle:", ", ".join(sorted(circle)))
    row = "{:14} {:>8} {:>8} {:>7} {:>6} {:>10} {:>10} {:>5}"
    print(row.format("room", "nodes", "modules", "floors", "twice", "over 400", "over 25", "give"))
    for room in ROOMS:
        chain, twice = longest_chain(graph, room), classes_twice(room)
        figures = (nodes(room), len(sources(room)), len(chain), len(twice), len(long_modules(room)))
        print(row.format(room, *figures, len(long_lines(room)), len(giving_docstrings(room))))
    print("longest chain of ledger:", " > ".join(longest_chain(graph, "ledger")))
    with tempfile.TemporaryDirectory() as folder:
        files = files_of_a_sign_off(Path(folder))
    print(f"one sign-off runs through {len(files)} files of ledger:", *files, sep="\n  ")


if __name__ == "__main__":
    main()
