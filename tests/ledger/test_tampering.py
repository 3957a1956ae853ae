"""A slice of the tampering benchmark: random single changes to a signed ledger, all found at their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.subjects.orders.decisions import order
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.evidence_decisions import attach
from ledger.writing import Ledger
from tests.ledger.tampering import Tamperer
from tests.ledger.test_signed import Keys, keys, put_name, signed, worked

__all__ = ["keys", "signed"]


@pytest.mark.own_file
@pytest.mark.slow
def test_every_single_change_is_found_at_its_place(signed: Ledger, keys: Keys, tmp_path: Path) -> None:
    worked(signed)
    put_name(signed, keys["lead"], lambda: sign(signed, "lead", "001@site", comment="seen"))
    order(signed, "pm", "001@site#gpu-server", supplier="ACME", reference="PO 1")
    attach(signed, "tech", "001@site", b"quote", "quote", name="quote.txt")
    tamperer = Tamperer(signed.site_dir, tmp_path / "scratch", seed=1)
    assert tamperer.audited() == []

    missed = [(change.what, places) for change, found, places in (tamperer.once() for _ in range(400)) if not found]

    assert missed == []
