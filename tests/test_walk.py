"""What the walks through the lab and one machine waive: the criteria of a written list, and nothing else. No lab is needed."""

from __future__ import annotations

import importlib
import json
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.shipped import shipped_catalog

EXAMPLES = Path(__file__).parents[1] / "examples"
LISTS = ("lab_waivers.yaml", "localhost_waivers.yaml")
WRONG_ORDER = {
    "metric": "chain.wrong_order",
    "op": "==",
    "value": 0,
    "unit": "count",
    "verdict": "failed",
    "measured": "3 count",
}


@pytest.fixture
def waivers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module of the lists."""
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module("waivers")


class Walk:
    """The walk with a command line that answers what a test says, and keeps what was typed."""

    def __init__(self, module: ModuleType, waivers: tuple[Any, ...], activity: dict[str, Any]) -> None:
        self.module, self.activity, self.typed = module, activity, list[tuple[str, ...]]()
        self.site = module.Site(Path("site"), waivers=waivers, by_hand_because="by hand")

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Answer one command."""
        self.typed.append(words)
        return subprocess.CompletedProcess(words, 0, json.dumps(self.activity), "")

    def settle(self, attempt: int) -> list[str]:
        """Settle the activity. Return the verbs that were typed, without those that read."""
        row = {"id": "165@site", "step": "165", "state": "failed", "attempt": attempt}
        self.module.settle(self.site, [row])
        return [words[0] for words in self.typed if words[0] not in {"show", "why"}]


@pytest.fixture
def walk(monkeypatch: pytest.MonkeyPatch, waivers: ModuleType) -> Any:
    """Return a function that makes a walk with these waivers, over step 165 with these criteria."""

    def made(*listed: tuple[str, str, str, str], criterion: dict[str, Any] = WRONG_ORDER, run: str = "ok") -> Walk:
        activity = {
            "activity": {"step": "165"},
            "criteria": [criterion],
            "runs": [{"status": run, "summary": "1 host, 1 reading"}],
            "needs": ["chain.wrong_order == 0 count: failed (3 count)", "a decision: retry, waive or attest"],
        }
        module = importlib.import_module("walk")
        found = Walk(module, tuple(waivers.Waiver(*one) for one in listed), activity)
        monkeypatch.setattr(module, "typed", found)
        return found

    return made


LISTED = ("165", "chain.wrong_order", "failed", "the lab has no order")


def test_a_broken_proof_is_read_once_more_and_then_ends_the_walk(walk: Any) -> None:
    """With the proof of 165 broken on purpose the walk once waived it, and the lab's test was green."""
    again = walk()
    assert again.settle(attempt=1) == ["retry"]

    broken = walk()
    with pytest.raises(SystemExit, match=r"(?s)165@site is not met.*chain.wrong_order == 0 count: failed \(3 count\)"):
        broken.settle(attempt=2)
    assert [words for words in broken.typed if words[0] in {"waive", "attest"}] == []


def test_what_is_on_the_list_is_waived_by_name_with_its_reason(walk: Any) -> None:
    listed = walk(LISTED)

    assert listed.settle(attempt=1) == ["waive"]
    words = listed.typed[-1]
    assert words[words.index("--metric") + 1] == "chain.wrong_order"
    assert words[words.index("--reason") + 1] == "the lab has no order"


@pytest.mark.parametrize(
    ("listed", "run"),
    [
        (("165", "chain.wrong_order", "not measured", "it cannot be read"), "ok"),
        (("164", "chain.wrong_order", "failed", "of another step"), "ok"),
        (LISTED, "failed"),
    ],
    ids=["another verdict", "another step", "a run that failed"],
)
def test_a_list_covers_no_more_than_it_says(walk: Any, listed: tuple[str, str, str, str], run: str) -> None:
    with pytest.raises(SystemExit, match="nothing allows to waive it"):
        walk(listed, run=run).settle(attempt=2)


def test_a_step_that_is_not_met_without_an_open_criterion_is_not_attested(walk: Any) -> None:
    with pytest.raises(SystemExit, match="nothing says what is not met"):
        walk(criterion=WRONG_ORDER | {"verdict": "waived"}).settle(attempt=2)


def test_a_listed_criterion_that_was_met_is_reported(waivers: ModuleType) -> None:
    listed = waivers.Waiver(*LISTED)
    met = {"activity": {"step": "165"}, "criteria": [WRONG_ORDER | {"verdict": "met"}]}

    assert waivers.met_all_the_same([met], [listed]) == [listed]
    assert waivers.met_all_the_same([met | {"criteria": [WRONG_ORDER | {"verdict": "waived"}]}], [listed]) == []


@pytest.mark.parametrize("name", LISTS)
def test_every_entry_names_a_criterion_that_software_reads(waivers: ModuleType, name: str) -> None:
    catalog = shipped_catalog()

    for waiver in waivers.read_waivers(EXAMPLES / name):
        step = catalog[waiver.step].step
        assert step.playbook, waiver
        assert waiver.metric in {c.metric for c in step.accept if not c.by_hand}, waiver


@pytest.mark.parametrize(
    "entry",
    [
        "{step: '165', metric: chain.wrong_order, verdict: failed}",
        "{step: '165', metric: chain.wrong_order, verdict: met, because: why}",
        "{step: '165', metric: chain.wrong_order, verdict: failed, because: ''}",
        "165",
    ],
)
def test_an_entry_that_is_not_whole_is_refused_with_its_place(waivers: ModuleType, tmp_path: Path, entry: str) -> None:
    file = tmp_path / "list.yaml"
    file.write_text(f"- {entry}\n", encoding="utf-8")

    with pytest.raises(SystemExit, match="entry 1"):
        waivers.read_waivers(file)
