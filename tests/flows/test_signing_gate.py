"""A running engine begins nothing that it could not sign, and goes on by itself when it can again."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from flows.engine import state as engine_state
from flows.engine.signing_gate import SigningGate
from flows.engine.state import Engine
from ledger.evidence.plans import read_plan
from ledger.reading import open_snapshot
from ledger.rules.access import ENGINE
from ledger.subjects.people.decisions import revoke_key
from ledger.trust.engine_key import NEXT, make_key
from ledger.writing import Ledger
from tests.ledger.conftest import Clock, clock, site_dir
from tests.ledger.test_engine_key import adopted, site
from tests.ledger.test_signed import Keys, keys, put_name
from tests.needs import needs

pytestmark = needs("ssh-keygen")

__all__ = ["clock", "keys", "site", "site_dir"]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def gate(said: list[str]) -> SigningGate:
    return SigningGate(said.append)


def is_open(gate: SigningGate, folder: Path) -> bool:
    """Return the gate's answer at a look."""
    with open_snapshot(folder) as snapshot:
        return gate.is_open(snapshot)


def test_nothing_is_begun_while_the_engine_could_not_record_it(
    site: Ledger, keys: Keys, clock: Clock, gate: SigningGate, said: list[str]
) -> None:
    """It would change hosts, and nobody could say later that it did. The reason is said once."""
    assert is_open(gate, site.site_dir)
    put_name(site, keys["pm"], lambda: revoke_key(site, "pm", ENGINE, "the machine was stolen"))

    assert not is_open(gate, site.site_dir)
    assert not is_open(gate, site.site_dir)
    (why,) = said
    assert "no valid key of the engine" in why

    adopted(site, keys, make_key(site.site_dir, replace=True))
    assert is_open(gate, site.site_dir)
    assert said[1:] == ["the engine has its key again, and goes on"]
    assert not (site.site_dir / NEXT).exists()


def test_a_result_waits_for_the_key(
    site: Ledger, keys: Keys, clock: Clock, gate: SigningGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run changed on hosts is not lost because the owner revoked the key while it ran."""
    monkeypatch.setattr(engine_state, "KEY_WAIT_S", 0.05)
    with open_snapshot(site.site_dir) as snapshot:
        plan = read_plan(snapshot)
    performer: Any = None
    engine = Engine(site.site_dir, site, plan, 1, clock, performer, linger_s=0, rehearsal=False)
    engine.may_record = gate.is_open
    put_name(site, keys["pm"], lambda: revoke_key(site, "pm", ENGINE, "the machine was stolen"))
    waiting = threading.Thread(target=engine.wait_for_key, daemon=True)
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()

    adopted(site, keys, make_key(site.site_dir, replace=True))
    waiting.join(10)

    assert not waiting.is_alive()
