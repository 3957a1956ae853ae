"""Thirty rules of all rooms broken on purpose, one at a time: how many `make quick` notices, and how many the tests about the rule do.

`workshop.py` with the numbers of rules tries these alone. The rules were chosen before tests/quick.txt was; where no test noticed one, a test
was written. For each rule the files of `make quick` that are about it are tried first, and
where they pass all of `make quick`. Ends with 1 if the tests of a rule do not notice that it is broken. With `--write`, writes the page.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

QUICK = Path("tests/quick.txt")
PAGE = Path("docs/evidence/workshop.md")
LONGEST_S = 1800


class Rule(NamedTuple):
    """A rule in words, the file that has it, a part of it as it is and as it is broken, and which tests are about it."""

    words: str
    file: str
    now: str
    then: str
    tests: tuple[str, ...]


def in_folder(room: str, *names: str) -> tuple[str, ...]:
    """Return the files of tests of these names."""
    return tuple(f"tests/{room}/test_{name}.py" for name in names)


RULES = (
    Rule(
        "a forecast start before the data date is an invalid date",
        "schedule/quality/dates.py",
        "it.open & (found.start < today)",
        "it.open & (found.start > today)",
        ("tests/schedule/quality",),
    ),
    Rule(
        "the critical path test passes where the end moves by what was added",
        "schedule/quality/indices.py",
        "abs(moved - ADDED_DAYS) <= SWALLOWED_DAYS",
        "abs(moved - ADDED_DAYS) >= 0",
        ("tests/schedule/quality",),
    ),
    Rule(
        "a near chain is concurrent only within so much float",
        "schedule/slip/concurrent.py",
        "path.total_float > within",
        "path.total_float < within",
        ("tests/schedule/slip",),
    ),
    Rule(
        "what runs is measured from the start of what remains",
        "schedule/cpm/floats.py",
        "np.where(moves, again, early.finish[begun])",
        "np.where(moves, early.start[begun], early.finish[begun])",
        in_folder("schedule", "passes", "properties", "judges"),
    ),
    Rule(
        "an event that returns has a period of one at least",
        "schedule/exchange/recurring.py",
        "max(1, rule.period)",
        "rule.period + 1",
        in_folder("schedule", "exchange", "exchange_reading"),
    ),
    Rule(
        "an order is placed earlier by what its lead time may take longer",
        "steps/planning/dates/order_timing.py",
        "max(0.0, order.lead_p80_h - order.lead.m)",
        "max(0.0, order.lead.m - order.lead_p80_h)",
        in_folder("steps", "order_timing", "odds_of_deliveries"),
    ),
    Rule(
        "an approval takes as long as the slowest that the quorum needs",
        "steps/planning/dates/approvals.py",
        "min(policy.quorum, len(fastest_first)) - 1",
        "0",
        in_folder("steps", "approvers", "approvals", "hall_approved"),
    ),
    Rule(
        "spare cooling units are counted",
        "steps/design/cooling.py",
        "ceil(kw / unit_kw - 1e-9) + spare",
        "ceil(kw / unit_kw - 1e-9)",
        ("tests/design",),
    ),
    Rule(
        "a pair is slow below its limit, and above it if it is a latency",
        "steps/pairs/slow.py",
        "result.value > limit.value if limit.latency",
        "result.value < limit.value if limit.latency",
        in_folder("acceptance", "pairs", "slow_patterns"),
    ),
    Rule(
        "a leaf has as many uplinks as server ports",
        "steps/catalog/networking/051_cable_leaves_to_spines.yaml",
        'metric: leaf.uplinks, op: ">="',
        'metric: leaf.uplinks, op: "<="',
        in_folder("steps", "catalog") + in_folder("design", "errata"),
    ),
    Rule(
        "a reminder is overdue from the day after its day",
        "ledger/questions/reminders.py",
        "Urgency.OVERDUE if due < self.today",
        "Urgency.OVERDUE if due <= self.today",
        in_folder("ledger", "reminders"),
    ),
    Rule(
        "an activity is done when as many have signed as its policy asks for",
        "ledger/rules/approval.py",
        "len(case.approvals) + 1 >= policy.quorum",
        "len(case.approvals) + 1 > 0",
        in_folder("ledger", "signing", "state_machine"),
    ),
    Rule(
        "witnesses are invited in time, or agreed to less",
        "ledger/subjects/sign_off/witness_rules.py",
        "on < earliest and not agreed",
        "on < earliest and agreed",
        in_folder("ledger", "witnessing"),
    ),
    Rule(
        "an order that was not placed by its day is late",
        "ledger/subjects/orders/rules.py",
        "order_by is not None and order_by < now",
        "order_by is not None and order_by > now",
        in_folder("ledger", "buying", "receiving", "reads"),
    ),
    Rule(
        "of several items the worst decides",
        "ledger/rules/judgement.py",
        'max if criterion.op in {"<", "<="} else min',
        'min if criterion.op in {"<", "<="} else max',
        in_folder("ledger", "judging", "said"),
    ),
    Rule(
        "a run that fails for another cause opens another non-conformance",
        "ledger/subjects/ncr/rules.py",
        "if why <= causes",
        "if why >= causes",
        in_folder("ledger", "retrying", "causes"),
    ),
    Rule(
        "a statement that was edited is refused",
        "ledger/trust/statements.py",
        "if canonical != text:",
        "if not canonical:",
        in_folder("ledger", "statements", "signed"),
    ),
    Rule(
        "the first wave is a small one",
        "flows/runs/waves.py",
        "waves.canary if canary else waves.size",
        "waves.size",
        in_folder("flows", "waves"),
    ),
    Rule(
        "no further wave begins where too many hosts failed",
        "flows/runs/waves.py",
        "100 * len(failed) / count <= waves.max_failed_percent",
        "len(failed) / count <= waves.max_failed_percent",
        in_folder("flows", "waves"),
    ),
    Rule(
        "a look for drift is made once in a round",
        "flows/runs/drift/due.py",
        "if at > self._last:",
        "if at >= self._last:",
        in_folder("flows", "drifting"),
    ),
    Rule(
        "quiet hours may go over midnight",
        "flows/notify/settings.py",
        "return at >= self.begin or at < self.end",
        "return at >= self.begin and at < self.end",
        in_folder("flows", "notify") + in_folder("clusterwright", "notify_command"),
    ),
    Rule(
        "a run is given up only when its lease is over",
        "flows/engine/recovery.py",
        "held.lease_until < machine_time()",
        "held.lease_until > machine_time()",
        in_folder("flows", "recovery", "stopped_engine"),
    ),
    Rule(
        "the weekly report has what was done in this week",
        "clusterwright/week_report.py",
        "since <= r.finished_at <= until",
        "r.finished_at <= until",
        in_folder("clusterwright", "report_pages", "reading"),
    ),
    Rule(
        "a contractor sees the work of the next three weeks",
        "clusterwright/look_ahead.py",
        "one[0] <= now + AHEAD",
        "one[0] >= now + AHEAD",
        in_folder("clusterwright", "contractor_page"),
    ),
    Rule(
        "a sheet that knows later events than the record is refused",
        "clusterwright/sheets/taking.py",
        "if not 0 < origin.event <= last:",
        "if not 0 < origin.event:",
        in_folder("clusterwright", "field_sheets"),
    ),
    Rule(
        "a table that is wider than the terminal goes to rows",
        "clusterwright/columns.py",
        "if sum(widths) > room:",
        "if sum(widths) < 0:",
        in_folder("clusterwright", "columns", "orders_table", "list_command"),
    ),
    Rule(
        "screens that are read-only record nothing",
        "tui/acting/application.py",
        "return not self.site.read_only",
        "return True",
        in_folder("tui", "plain_terminals", "quality_screen", "morning"),
    ),
    Rule(
        "a word with a minus leaves rows out",
        "tui/lists/words.py",
        "return lambda row: not test(row)",
        "return lambda row: test(row)",
        in_folder("tui", "views", "filter_words"),
    ),
    Rule(
        "one server gets new firmware before all others",
        "playbooks/procurement/007_firmware_update.yml",
        'serial: [1, "10%"]',
        'serial: ["100%"]',
        ("tests/playbooks",),
    ),
    Rule(
        "an alert of a disk that is full waits for a tenth",
        "playbooks/roles/alert_rules/files/alerts.yml",
        "node_filesystem_size_bytes < 0.1",
        "node_filesystem_size_bytes > 0.1",
        ("tests/playbooks", "tests/lab/test_monitoring.py"),
    ),
)


class Tried(NamedTuple):
    """What noticed that a rule is broken: a test of `make quick`, and one of the tests that are about the rule."""

    rule: Rule
    by_quick: bool
    by_tests: bool


def passes(tree: Path, *words: str) -> bool:
    """Return whether tests pass in a tree. Raise where they could not be run at all."""
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", *words],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    if found.returncode not in (0, 1, 5):  # 5: no test of the files is among them
        raise RuntimeError(f"pytest {' '.join(words)}: {found.stdout[-2000:]}{found.stderr[-2000:]}")
    return found.returncode != 1


def quick(tree: Path) -> bool:
    """Return whether `make quick` passes in a tree, with the programs that run this."""
    ended = subprocess.run(
        ["make", "-o", "setup", "quick", f"BIN={Path(sys.executable).parent}", "TEST_OPTIONS=-x"],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        capture_output=True,
        timeout=LONGEST_S,
        check=False,
    )
    return ended.returncode == 0


def about(rule: Rule, named: list[str]) -> list[str]:
    """Return the words for pytest that name what `make quick` has of a rule's tests; none where it has none of them."""
    files = [line for line in named if not line.startswith("-") and line.startswith(rule.tests)]
    return (
        ["-m", "not slow and not lab and not long", *files, *(line for line in named if line.startswith("-"))]
        if files
        else []
    )


def tried(rule: Rule, tree: Path) -> Tried:
    """Break a rule in a tree, run the tests, and put it back."""
    file, named = tree / rule.file, (tree / QUICK).read_text(encoding="utf-8").splitlines()
    before = file.read_text(encoding="utf-8")
    assert before.count(rule.now) == 1, f"{rule.file} has another text now: {rule.now}"
    file.write_text(before.replace(rule.now, rule.then), encoding="utf-8")
    try:
        own = about(rule, named)
        by_quick = bool(own) and not passes(tree, *own)
        by_tests = by_quick or not passes(tree, *rule.tests)
        return Tried(rule, by_quick or not quick(tree), by_tests)
    finally:
        file.write_text(before, encoding="utf-8")


def timed_quick(tree: Path) -> str:
    """Return how long `make quick` takes in a tree with unbroken rules, and with which load. The first time it makes machine code."""
    load = os.getloadavg()[0]
    assert quick(tree), "make quick fails without a broken rule: nothing that it notices would mean anything"
    began = time.perf_counter()
    before = os.times()
    quick(tree)
    after, took = os.times(), time.perf_counter() - began
    worked = after.children_user + after.children_system - before.children_user - before.children_system
    return f"{took:.0f} s on {os.cpu_count()} cores, {worked:.0f} s of a processor, beside a load of {load:.1f} from others"


def page(took: str, found: list[Tried]) -> str:
    """Return the page of what was found."""
    lines = (
        f"| {one.rule.words} | `{one.rule.file}` | {'yes' if one.by_quick else '**no**'} | {'yes' if one.by_tests else '**no**'} |"
        for one in found
    )
    return "\n".join(
        (
            "# Rules broken on purpose, and the quick tests",
            "",
            f"`make bench-workshop`, {datetime.now(UTC):%Y-%m-%d}. `make quick`: {took}.",
            "",
            f"Of {len(found)} rules broken in one line each, `make quick` notices {sum(one.by_quick for one in found)}, and the tests of",
            f"`make test` that are about the rule notice {sum(one.by_tests for one in found)}.",
            "",
            "| rule | file | `make quick` | its tests |",
            "|---|---|---|---|",
            *lines,
            "",
        )
    )


def main() -> None:
    """Time `make quick` in a copy of the tree, break the rules there, and print what noticed each."""
    wanted = [RULES[int(word) - 1] for word in sys.argv[1:] if word != "--write"] or list(RULES)
    with tempfile.TemporaryDirectory(prefix="clusterwright-workshop-") as scratch:
        tree = Path(scratch) / "tree"
        subprocess.run(["git", "clone", "--quiet", "--shared", ".", str(tree)], check=True)
        took = timed_quick(tree)
        print(f"make quick: {took}", flush=True)
        found = []
        for rule in wanted:
            found.append(tried(rule, tree))
            noticed = [name for name, is_so in (("quick", found[-1].by_quick), ("tests", found[-1].by_tests)) if is_so]
            print(f"{RULES.index(rule) + 1:3} {', '.join(noticed) or 'NOBODY':12} {rule.words}", flush=True)
    if "--write" in sys.argv:
        PAGE.write_text(page(took, found), encoding="utf-8")
    sys.exit(not all(one.by_tests for one in found))


if __name__ == "__main__":
    main()
