"""Stretches of a site's life that many tests begin after."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from ledger.entries import Claim, RunOutcome
from ledger.subjects.orders.decisions import order
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.runs.decisions import claim, release, settle
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.subjects.work.kinds.duplicate_settled import settle_duplicate
from ledger.writing import Ledger
from steps.acceptance.measured import Measured

if TYPE_CHECKING:
    from tests.ledger.conftest import Clock

GOOD = (
    Measured("link.loss", Decimal("0.2"), "dB", "pod-001-n1", "otdr"),
    Measured("link.up", True, "", "pod-001-n1", "ip link"),
)
MTU = (Measured("mtu", Decimal(9000), "B", "n1", "ip link"),)


def take(ledger: Ledger, name: str, owner: str = "engine-1", **given: object) -> Claim | None:
    """Claim an activity with made-up machine facts."""
    return claim(
        ledger,
        owner,
        name,
        lease_s=float(str(given.pop("lease_s", 60))),
        host="build",
        boot_id="b1",
        pid=10,
        pgid=10,
        **given,  # type: ignore[arg-type]
    )


def bought(ledger: Ledger) -> None:
    """Decide on and place the order."""
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    sign(ledger, "lead", "001@site")
    order(ledger, "pm", "001@site#gpu-server", supplier="ACME", reference="PO 1")


def racked(ledger: Ledger, pod: int = 1) -> None:
    """Receive a pod's servers and do its field work, up to the lag."""
    receive(ledger, "pm", f"001@site#gpu-server/{pod}")
    name = f"010@pod-00{pod}"
    start(ledger, "tech", name)
    attach(ledger, "tech", name, b"a photo", "photo", name="rack.jpg")
    finish(ledger, "tech", name)
    sign(ledger, "lead", name)


def passed(ledger: Ledger, clock: Clock, pod: int = 1) -> None:
    """Wait for the lag and pass the pod's hold point."""
    clock.forward(24)
    name = f"020@pod-00{pod}"
    start(ledger, "tech", name)
    finish(ledger, "tech", name)
    sign(ledger, "lead", name)
    sign(ledger, "lead2", name)


def verified(ledger: Ledger, pod: int = 1, at: datetime | None = None) -> None:
    """Run what software does in a pod, and settle the duplicate."""
    name = f"030@pod-00{pod}"
    with ledger.happened(at):
        assert take(ledger, name)
    settle(ledger, "engine-1", name, RunOutcome("ok", measurements=GOOD))
    name = f"040@pod-00{pod}"
    release(ledger, "lead", name, hosts=["h"], count=1, playbook_digest="d")
    assert take(ledger, name, hosts=["h"], playbook_digest="d")
    settle(ledger, "engine-1", name, RunOutcome("ok", measurements=MTU, playbook_digest="d"))
    settle_duplicate(ledger, "engine", f"050@pod-00{pod}")


def all_but_gate(ledger: Ledger, clock: Clock) -> None:
    """Do everything before go-live."""
    bought(ledger)
    for pod in (1, 2):
        racked(ledger, pod)
        passed(ledger, clock, pod)
        verified(ledger, pod)
