"""A site whose ledger is gone is not taken for a new one: the record would be begun anew, and nobody would look for the old one."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.adopting import adopt_prepared
from clusterwright.adoption import Adoption
from ledger.stores.file import refuse_lost
from ledger.subjects.plan.decisions import adopt_plan
from schedule.errors import ClusterwrightError
from tests.conftest import Command
from tests.ledger.conftest import Clock, begun, small_plan
from tests.ledger.forging import every_state_plan


def test_a_ledger_that_is_gone_is_named_and_no_new_one_is_offered(tmp_path: Path, command: Command) -> None:
    """Its evidence says that there was one."""
    (tmp_path / "site.yaml").touch()
    with begun(tmp_path, Clock()) as ledger:
        adopt_plan(ledger, "pm", small_plan(), reason="first plan")
    (tmp_path / "ledger.db").unlink()

    for words in (("status",), ("plan", "adopt", "--yes")):
        said = command(*words, "--site", tmp_path)

        assert said.returncode == 3, said.stderr
        assert "is missing: its evidence is there" in said.stderr
        assert "clusterwright restore" in said.stderr
        assert "plan adopt" not in said.stderr
    assert not (tmp_path / "ledger.db").exists()


def test_a_first_plan_that_nobody_signed_leaves_nothing_of_a_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is adopted later, when the key is at hand."""
    monkeypatch.setenv("HOME", str(tmp_path))
    first = Adoption(tmp_path, every_state_plan(signed=True), "pm", "", is_first=True, committed=None)

    with pytest.raises(ClusterwrightError, match="key"):
        adopt_prepared(first, reason="first plan", baseline=None, rehearsal=False, key=None)

    assert not (tmp_path / "ledger.db").exists()
    refuse_lost(tmp_path)
