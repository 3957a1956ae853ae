"""A delivery against its manifest: everything is known before anything is recorded."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from ledger.evidence.store import load
from ledger.questions.ncrs import ncrs
from ledger.questions.orders import orders
from ledger.questions.records import evidence
from ledger.questions.site import head
from ledger.reading import open_snapshot
from ledger.subjects.orders.change_decisions import ask_change
from ledger.subjects.orders.delivery_decisions import check_manifest, receive, receive_manifest
from ledger.subjects.orders.manifest_rules import Compared, compared, read_manifest, read_scan
from ledger.subjects.plan.decisions import adopt_plan
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from tests.ledger.conftest import Clock, Look, StateOf, small_plan
from tests.ledger.journey import bought

FIRST = "001@site#gpu-server/1"
SECOND = "001@site#gpu-server/2"
ALL = [f"SN{n:02}" for n in range(16)]


def papers(folder: Path, manifest: list[str], scanned: list[str]) -> tuple[Path, Path]:
    """Write a manifest and a scan."""
    one, other = folder / "manifest.csv", folder / "scan.txt"
    one.write_text("\n".join(["part,serial", *(f"8000,{serial}" for serial in manifest), ""]), encoding="utf-8")
    other.write_text("\n".join([*scanned, ""]), encoding="utf-8")
    return one, other


def recorded(ledger: Ledger) -> int:
    """Return how many events there are."""
    with open_snapshot(ledger.site_dir) as snapshot:
        return head(snapshot).seq


def test_what_agrees_is_recorded_with_both_files_kept(
    ledger: Ledger, tmp_path: Path, look: Look, state: StateOf, clock: Clock
) -> None:
    bought(ledger)
    manifest, scan = papers(tmp_path, ALL, [serial.lower() for serial in reversed(ALL)])

    event = receive_manifest(ledger, "pm", FIRST, manifest, scan)

    assert event.payload.serials == tuple(ALL)  # type: ignore[attr-defined]
    assert state("010@pod-001") == "ready"
    kept = evidence(look(), "001@site")
    assert [(e.kind, e.name) for e in kept] == [("delivery-manifest", "manifest.csv"), ("delivery-scan", "scan.txt")]
    assert load(ledger.site_dir, kept[0].digest) == manifest.read_bytes()
    assert ncrs(look(), name="001@site") == []
    assert audit(ledger.site_dir) == []


def test_every_sort_of_difference_is_listed_and_nothing_recorded(ledger: Ledger, tmp_path: Path) -> None:
    bought(ledger)
    receive(ledger, "pm", SECOND, 2, serials=["OLD1", "OLD2"])
    before = recorded(ledger)
    manifest, scan = papers(tmp_path, ["A", "B", "OLD1"], ["a", "STRANGE", "OLD1", "A", "OLD2"])

    found = check_manifest(ledger, "pm", FIRST, manifest, scan)

    assert found.came == ("A",)
    assert [str(d) for d in found.differences] == [
        "B: missing (manifest line 3)",
        f"OLD1: received elsewhere ({SECOND})",
        "a: scanned twice (scan lines 1, 4)",
        "STRANGE: unexpected (scan line 2)",
        "OLD2: unexpected (scan line 5)",
        f"OLD2: received elsewhere ({SECOND})",
    ]
    with pytest.raises(NotSatisfiedError, match="manifest and scan differ"):
        receive_manifest(ledger, "pm", FIRST, manifest, scan)
    assert recorded(ledger) == before
    assert not list((ledger.site_dir / "evidence").rglob("*/manifest.csv"))


def test_accepted_differences_open_a_non_conformance_and_record_what_came(
    ledger: Ledger, tmp_path: Path, look: Look, clock: Clock
) -> None:
    bought(ledger)
    manifest, scan = papers(tmp_path, ALL, [*ALL[:15], "STRANGE"])
    seen = tuple(map(str, check_manifest(ledger, "pm", FIRST, manifest, scan).differences))

    event = receive_manifest(ledger, "pm", FIRST, manifest, scan, accept=seen, note="pallet 2 wet")

    assert event.payload.quantity == 15  # type: ignore[attr-defined]
    (ncr,) = ncrs(look(), name="001@site")
    assert ncr.reason.startswith("pallet 2 wet; manifest and scan differ: 1 missing, 1 unexpected. SN15: missing")
    assert orders(look(clock.now))[0].state == "part received"
    assert audit(ledger.site_dir) == []


def test_a_second_receipt_against_one_manifest_misses_only_what_never_came(
    ledger: Ledger, tmp_path: Path, state: StateOf
) -> None:
    bought(ledger)
    manifest, scan = papers(tmp_path, ALL, ALL[:10])
    seen = tuple(map(str, check_manifest(ledger, "pm", FIRST, manifest, scan).differences))
    receive_manifest(ledger, "pm", FIRST, manifest, scan, accept=seen)
    manifest, scan = papers(tmp_path, ALL, ALL[10:])

    receive_manifest(ledger, "pm", FIRST, manifest, scan)

    assert state("010@pod-001") == "ready"


def test_a_difference_that_nobody_saw_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    """Between looking and recording, another gate received one of them."""
    bought(ledger)
    manifest, scan = papers(tmp_path, ALL, ALL)
    assert check_manifest(ledger, "pm", FIRST, manifest, scan).differences == ()
    receive(ledger, "pm", SECOND, 1, serials=["sn03"])

    with pytest.raises(NotSatisfiedError, match=r"SN03: received elsewhere"):
        receive_manifest(ledger, "pm", FIRST, manifest, scan)


def test_a_manifest_over_the_order_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    bought(ledger)
    manifest, scan = papers(tmp_path, [*ALL, "SN16"], [*ALL, "SN16"])

    with pytest.raises(InputError, match="16 outstanding, so not 17"):
        check_manifest(ledger, "pm", FIRST, manifest, scan)


def test_a_scan_of_nothing_expected_records_nothing(ledger: Ledger, tmp_path: Path) -> None:
    bought(ledger)
    manifest, scan = papers(tmp_path, ["A"], ["B"])
    seen = tuple(map(str, check_manifest(ledger, "pm", FIRST, manifest, scan).differences))

    with pytest.raises(NotSatisfiedError, match="nothing on the manifest was scanned"):
        receive_manifest(ledger, "pm", FIRST, manifest, scan, accept=seen)


def test_a_serial_number_is_received_once(ledger: Ledger) -> None:
    bought(ledger)
    receive(ledger, "pm", FIRST, 1, serials=["a"])

    with pytest.raises(InputError, match=rf"received already: A \(in {FIRST}\)"):
        receive(ledger, "pm", SECOND, 1, serials=["A"])


def test_half_a_piece_does_not_come(empty: Ledger) -> None:
    """A metre of busway may be half, a piece may not."""
    orders = [one | {"unit_of_measure": "each"} for one in small_plan().model_dump()["orders"]]
    adopt_plan(empty, "pm", small_plan(orders=orders), reason="first")
    bought(empty)

    with pytest.raises(InputError, match=r"counted in whole pieces, so not 0.5"):
        receive(empty, "pm", FIRST, Decimal("0.5"))
    with pytest.raises(InputError, match=r"counted in whole pieces, so not 15.5"):
        ask_change(empty, "pm", FIRST, quantity=Decimal("15.5"), reason="fewer")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("serial\nA\nB\na\nB\n", "A on lines 2, 4; B on lines 3, 5"),
        ("part\nA\n", "no serial column"),
        ("serial,S/N\nA,B\n", "2 columns"),
        ("serial\n", "no serial number"),
        ("", "no serial column"),
        ("part,serial\nx,\n", "line 2: there is no serial number"),
        ('serial\n"A\n', "does not read as CSV"),
        ("serial\nA\x07\n", "line 2"),
    ],
)
def test_a_manifest_that_cannot_be_trusted_is_refused_with_its_lines(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_manifest(text.encode())


@pytest.mark.parametrize(
    "content",
    [b"serial\nA\nB\n", "\ufeffSerial Number;part\r\nA;1\r\n\r\nB;2\r\n".encode(), b'part\tS/N\n"x\ny"\tA\nz\tB\n'],
)
def test_manifests_are_read_as_suppliers_write_them(content: bytes) -> None:
    assert [entry.serial for entry in read_manifest(content).values()] == ["A", "B"]


def test_a_second_reading_by_the_scanner_is_only_remarked() -> None:
    found = compared(read_manifest(b"serial\nA\n"), read_scan(b"A\nA\n"), {}, FIRST)

    assert found == Compared(("A",), found.differences)
    assert found.is_conforming
    with pytest.raises(InputError, match="holds no serial number"):
        read_scan(b"\n \n")
