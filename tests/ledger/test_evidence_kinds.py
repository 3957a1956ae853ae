"""A kind of evidence is what its content may be: a list of accounts is no calculation, and a note is no permit."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.evidence.intake import MEDIA_TYPES
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.work.evidence_decisions import attach
from ledger.writing import Ledger
from schedule.errors import InputError
from steps.catalog.evidence_kinds import content_of_kind
from steps.catalog.loader import read_catalog
from tests.ledger import malicious as bad
from tests.ledger.conftest import Clock, begun, small_plan

ACCOUNTS = Path("/etc/passwd").read_bytes()
TABLE = b"rack,kW\nrack-01,10.2\n"


def kept(ledger: Ledger) -> list[bytes]:
    return [path.read_bytes() for path in (ledger.site_dir / "evidence").rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("content", "kind", "said"),
    [
        (ACCOUNTS, "power-calculation", "is TEXT, and power-calculation is a document, a table, or what a calculator"),
        (b"we have one\n", "permit", "is TEXT, and permit is a document that somebody issued, drew or stamped"),
        (TABLE, "single-line", "is CSV, and single-line is a document"),
        (b"looks good\n", "photo-per-rack", "is TEXT, and photo-per-rack is a picture"),
    ],
)
def test_what_cannot_be_of_a_kind_is_refused_and_not_kept(ledger: Ledger, content: bytes, kind: str, said: str) -> None:
    """Whatever its name says."""
    with pytest.raises(InputError, match=said) as refused:
        attach(ledger, "tech", "001@site", content, kind, name=f"{kind}.pdf")

    assert "pdf" in refused.value.hint
    assert content not in kept(ledger)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (TABLE, "power-calculation"),
        (b'{"kW": 10.2}', "heat-calculation"),
        (bad.pdf(), "permit"),
        (bad.photo(), "single-line"),
        (bad.photo("PNG"), "photo-per-rack"),
        (b"12:00 breaker closed\n", "event-log"),
        (b"anything in words", "a-kind-of-our-own"),
    ],
)
def test_what_may_be_of_a_kind_is_kept(ledger: Ledger, content: bytes, kind: str) -> None:
    assert attach(ledger, "tech", "001@site", content, kind).seq


def test_in_a_rehearsal_a_note_stands_for_every_document(tmp_path: Path, clock: Clock) -> None:
    """No permit exists there, and its note says so."""
    with begun(tmp_path / "site", clock, rehearsal=True) as rehearsed:
        adopt_plan(rehearsed, "pm", small_plan(), reason="rehearsal")

        assert attach(rehearsed, "tech", "001@site", b"simulated permit: no such document exists", "permit").seq


def test_every_kind_with_content_of_its_own_is_one_that_a_step_asks_for() -> None:
    """A name that is spelt otherwise would let everything pass."""
    asked = {kind for entry in read_catalog().values() for kind in entry.step.sign_off.evidence}
    limited = {kind for kind in asked if set(content_of_kind(kind).content) < set(MEDIA_TYPES)}

    assert limited == named_in_file()


def named_in_file() -> set[str]:
    import yaml

    table = yaml.safe_load(Path("steps/catalog/evidence.yaml").read_text(encoding="utf-8"))
    return {kind for group in table.values() for kind in group["kinds"]}
