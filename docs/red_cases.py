"""The page of red cases: a fault for every criterion that software reads, from the data of the tests that inject them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from steps.acceptance.readers import READERS
from steps.catalog.loader import read_catalog
from steps.catalog.terms import Kind
from steps.value import value_text

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests are no package that is installed

from tests.acceptance.red_cases import HOW, MACHINE, TOOLBOX, Red
from tests.acceptance.red_proofs import PROOFS, RedProof

CASES: dict[str, Red | RedProof] = {**MACHINE, **TOOLBOX, **PROOFS}


def red_cases() -> Iterator[str]:
    """Return every criterion that software reads at a step that it does or checks, with the fault that it does not pass."""
    steps = [entry.step for entry in read_catalog().values() if entry.step.kind in {Kind.AUTOMATE, Kind.VERIFY}]
    rows = [(step, c) for step in steps for c in step.accept if c.metric in READERS]
    counted = Counter(CASES[criterion.metric].how for _, criterion in rows)
    yield "# Red cases\n"
    yield (
        "A check that cannot fail is none. For every criterion that software reads at a step that it does or checks there is a fault "
        "that it must not pass. `tests/acceptance/test_red_cases.py` injects each, reads it by the step's own readers and judges it by "
        "the step's own criterion, in a design with GPUs and a fabric (`superpod-1su`); it fails where a criterion has no case. "
        "`not measured` is no pass either.\n"
    )
    yield "| how the fault is injected | criteria | what it is |"
    yield "|---|---|---|"
    for how, meaning in HOW.items():
        yield f"| {how} | {counted[how]} | {meaning} |"
    yield f"| in all | {len(rows)} | |\n"
    yield (
        "Beside them, on hosts of the [lab](../how-to/lab.md): 069 and 120 fire each rule by a fault in a simulated device that the site's exporters "
        "read, and count what reaches the channel. `tests/playbooks/test_alert_drill.py` holds what each exporter reads against what the "
        "rule asks for. Step 159 finds jobs that a real Slurm starts in part or side by side (`tests/lab/test_software_stack.py`), and "
        "the probe of 054 finds a bridge of small frames between network namespaces (`tests/playbooks/test_path_probe.py`).\n"
    )
    yield "| step | criterion | fault | how it is injected | read | verdict |"
    yield "|---|---|---|---|---|---|"
    for step, criterion in rows:
        case = CASES[criterion.metric]
        verdict = "not measured" if case.value is None else "failed"
        value = criterion.value if isinstance(criterion.value, str) else value_text(criterion.value)
        limit = f"`{criterion.metric}` {criterion.op} {value} {criterion.unit}"
        yield f"| {step.id} | {limit} | {case.fault} | {case.how} | {_read(case.value)} | {verdict} |"


def _read(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
