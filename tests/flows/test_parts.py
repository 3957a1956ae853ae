"""The small parts that flows are made of: no server, no ledger."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from flows.engine.groups import Groups
from flows.engine.performer import settled
from flows.engine.questions_asked import Asked, Key
from flows.engine.wakeup import Wakeup
from flows.rehearsal.keys import RehearsalKeys
from ledger.rules.rows import SignerKey
from ledger.trust.ssh import allowed_signers, plain_key, refusal
from schedule.errors import NotSatisfiedError
from steps.planning.plan import Plan
from tests.ledger.conftest import T0, activity, link, small_plan


def test_a_ring_before_the_wait_is_not_lost() -> None:
    wakeup = Wakeup()
    heard = wakeup.count
    wakeup.wake()
    began = time.monotonic()

    wakeup.wait(heard, 5)

    assert time.monotonic() - began < 1


def test_a_ring_wakes_who_waits() -> None:
    wakeup = Wakeup()
    threading.Timer(0.05, wakeup.wake).start()
    began = time.monotonic()

    wakeup.wait(wakeup.count, 5)

    assert time.monotonic() - began < 2


def test_questions_outlive_the_engine_that_asked_them(tmp_path: Path) -> None:
    asked = Asked(tmp_path)
    asked.add(Key("001@site", 1, "release"))
    assert Asked(tmp_path)._keys == set()
    asked.keep()

    again = Asked(tmp_path)

    assert Key("001@site", 1, "release") in again
    assert Key("001@site", 2, "release") not in again
    assert Key("001@site", 1, "other") not in again


def test_a_question_that_cannot_be_kept_now_is_kept_later(tmp_path: Path) -> None:
    asked, file = Asked(tmp_path), tmp_path / ".clusterwright" / "notified.db"
    file.mkdir(parents=True)  # no database can be there
    asked.add(Key("001@site", 1, ""))
    asked.keep()
    file.rmdir()
    asked.add(Key("002@site", 1, ""))
    asked.keep()

    assert Asked(tmp_path)._keys == {Key("001@site", 1, ""), Key("002@site", 1, "")}


def test_a_small_phase_is_one_run_and_a_large_one_is_split_by_pods() -> None:
    pods = [f"pod-{n:03}" for n in range(1, 21)]
    document = small_plan().model_dump(mode="json") | {
        "units": [
            {"id": "site", "kind": "site", "parent": None, "title": "Site"},
            *({"id": pod, "kind": "pod", "parent": "site", "title": pod} for pod in pods),
        ],
        "activities": [activity(f"{step:03}@{pod}") for pod in pods for step in range(40, 55)]
        + [activity("195@site", kind="gate", phase="go_live")],
        "links": [link("040@pod-001", "041@pod-001")],
        "orders": [],
    }
    groups = Groups(Plan.model_validate(document))

    def units(phase: str, unit: str) -> tuple[str, ...]:
        from types import SimpleNamespace

        return groups.of(SimpleNamespace(plan=SimpleNamespace(phase=phase, unit=unit))).units  # type: ignore[arg-type]

    assert units("networking", "pod-001") == tuple(pods[:8])
    assert units("networking", "pod-020") == tuple(pods[16:])
    assert units("networking", "site") == ("site",)
    assert len(units("go_live", "site")) == 21
    assert groups.before("041@pod-001") == ["040@pod-001"]


def test_a_graph_sees_through_orders_and_deliveries() -> None:
    groups = Groups(small_plan())

    assert groups.before("010@pod-001") == ["001@site"]


def test_only_a_failed_run_is_a_failed_task() -> None:
    assert settled("failed", "x").failed
    assert not settled("checked_not_met", "x").failed
    assert settled("checked_not_met", "x").name == "Checked, not met"


def test_throwaway_keys_are_fresh_sign_only_as_a_rehearsal_and_are_thrown_away(tmp_path: Path) -> None:
    keys = RehearsalKeys(tmp_path)
    first = keys.make(["sim-owner-pm", "sim-sponsor"])
    made = keys.sign("sim-sponsor", "text")
    signers = allowed_signers(
        [SignerKey("sim-sponsor", plain_key(first["sim-sponsor"]), T0, None)], "clusterwright-rehearsal"
    )

    assert set(first) == {"sim-owner-pm", "sim-sponsor"}
    assert refusal("text", made, "sim-sponsor", signers, "clusterwright-rehearsal", T0) is None
    assert refusal("text", made, "sim-sponsor", signers, "clusterwright", T0)
    assert keys.make(["sim-owner-pm"])["sim-owner-pm"] != first["sim-owner-pm"]
    keys.throw_away()
    with pytest.raises(NotSatisfiedError, match="thrown away"):
        keys.sign("sim-owner-pm", "text")
