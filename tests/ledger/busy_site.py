"""A signed site for processes that contend: people with keys, and activities that nothing holds up."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ledger.log.chain import Event
from ledger.machine_time import machine_time
from ledger.subjects.plan.decisions import adopt_plan
from ledger.trust import ssh
from ledger.trust.proving import Proof
from ledger.trust.statements import signed_text
from ledger.writing import Ledger
from tests.ledger.conftest import account_of, begun, small_plan

Decide = Callable[[], Event]


def make_key(path: Path) -> str:
    """Make a key without a passphrase and return its public half."""
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    return path.with_suffix(".pub").read_text(encoding="utf-8").strip()


def put_key(ledger: Ledger, key: Path, decide: Decide) -> Event:
    """Take a decision with a person's key: draw the statement up, sign it, and record it."""
    (text,) = ledger.drafted(decide)
    return ledger.proved(Proof(text, ssh.sign(signed_text(text), key, ssh.NAMESPACE)), decide)


def create_busy_site(
    site_dir: Path, keys_dir: Path, *, activities: Iterable[dict[str, Any]], people: Mapping[str, tuple[str, ...]]
) -> None:
    """Make a site with the small plan's work and these activities and people (id to roles), adopted with the owner's key."""
    keys_dir.mkdir()
    roles = {"pm": ("owner-pm",), **people}
    public = {person: make_key(keys_dir / person) for person in roles}
    plan = small_plan()
    document = plan.model_dump(include={"activities"})["activities"]
    plan = small_plan(
        activities=[*document, *activities],
        people=[
            {"id": p, "name": p.title(), "roles": held, "account": account_of(p), "ssh_key": public[p]}
            for p, held in roles.items()
        ],
    )
    with begun(site_dir, machine_time, owner_key=public["pm"]) as ledger:
        put_key(ledger, keys_dir / "pm", lambda: adopt_plan(ledger, "pm", plan, reason="first plan"))
