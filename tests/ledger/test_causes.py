"""Hosts that are not done, grouped by cause."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from ledger.entries import ItemResult
from ledger.rules.case import Case
from ledger.rules.version import RULES
from ledger.subjects.ncr.rules import of_same_cause
from ledger.subjects.runs.cause_rules import alike, causes, in_short
from ledger.subjects.runs.host_name_rules import folded, folded_within

NODES = [f"node-{number:03}" for number in range(1, 33)]


def lacking(host: str, number: int) -> ItemResult:
    said = f"{host}: at 10.0.0.{number} after {number}.5 s: Unable to locate package nvidia-thing (/tmp/apt.{number}x)"
    return ItemResult(host, "failed", 1, "Install it", said)


def test_hosts_with_the_same_error_are_one_cause_with_one_whole_message() -> None:
    results = [lacking(host, number) for number, host in enumerate(NODES[:31], 1)]
    results += [ItemResult(NODES[31], "unreachable", 0, "Install it", "no answer in time"), ItemResult("mgmt", "ok")]

    found = causes(results)

    assert [(c.status, c.host_count, c.named, c.task) for c in found] == [
        ("failed", 31, "node-[001-031]", "Install it"),
        ("unreachable", 1, "node-032", "Install it"),
    ]
    assert found[0].message == results[0].message
    assert found[0].hosts == tuple(NODES[:31])
    assert in_short(found).startswith(
        "31 failed at 'Install it' (node-[001-031]): node-001: at 10.0.0.1 after 1.5 s: Unable"
    )


def test_failed_hosts_come_first_and_most_hosts_first_within_a_result() -> None:
    results = [ItemResult(host, "skipped", 0, "", "not begun: n1 of the first wave failed") for host in NODES]
    results += [ItemResult("a", "unreachable", 0, "t", "refused"), ItemResult("b", "failed", 0, "t", "one")]
    results += [ItemResult(host, "failed", 0, "t", "two") for host in ("c", "d")]

    assert [(c.status, c.hosts[0]) for c in causes(results)] == [
        ("failed", "c"), ("failed", "b"), ("unreachable", "a"), ("skipped", "node-001"),
    ]  # fmt: skip
    assert causes(results) == causes(reversed(results))


@pytest.mark.parametrize(
    "message",
    [
        "HOST says no", "at 10.1.2.3", "link 52:54:00:12:34:56 is down", "inode 0x7fe3", "run 3f2a9c8d1177", "took 12.5s of 30 s",
        "/home/x/.ansible/tmp/ansible-tmp-1795-12/a.py: no", "at 2026-11-23T04:05:06Z", "fe80::5054:ff:fe12:3456 is silent",
        "id 123e4567-e89b-12d3-a456-426614174000",
    ],
)  # fmt: skip
def test_what_is_of_one_host_makes_no_difference(message: str) -> None:
    """The same message with the other host's figures is the same cause."""
    digits = str.maketrans("123456", "654321")

    first = alike(message.replace("HOST", "gpu-7.example.com"), "gpu-7.example.com")
    other = alike(message.replace("HOST", "gpu-8").translate(digits), "gpu-8")

    assert first == other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("package libcuda11 is missing", "package libcuda12 is missing"),
        ("it ended with 1: no", "it ended with 2: no"),
        ("mlx5_0 is down", "mlx5_1 is down"),
        ("decade", "facade"),
    ],
)
def test_what_tells_causes_apart_is_kept(one: str, other: str) -> None:
    assert alike(one, "n1") != alike(other, "n2")


def test_names_are_folded_as_the_field_writes_them() -> None:
    names = [
        "n1",
        "n10",
        "n2",
        "n9",
        "login",
        "gpu-01.a.net",
        "gpu-02.a.net",
        "r1-u08",
        "r1-u09",
        "r1-u10",
        "r2-u08",
        "a@b!c",
    ]

    assert folded(names) == "gpu-[01-02].a.net,n[1-2,9-10],r1-u[08-10],r2-u08,a@b!c,login"
    assert folded_within(names, 20) == "gpu-[01-02].a.net … 12 in all"
    assert [folded_within(["aa", "bb"], longest) for longest in (1, 2, 3, 4)] == [
        "a … 2 in all",
        *["aa … 2 in all"] * 2,
        "aa,bb",
    ]
    assert [folded(each) for each in ([], ["n0", "n1"], ["n010"], ["n99", "n100"], ["n9", "n10"], ["n09", "n10"])] == [
        "", "n[0-1]", "n010", "n[99-100]", "n[9-10]", "n[09-10]",
    ]  # fmt: skip


def test_a_fleet_is_summed_up_in_one_line() -> None:
    results = [
        ItemResult(f"n{number}", "failed", 0, "t", "x" * 500 + chr(97 + number % 9) * 9) for number in range(900)
    ]

    said = in_short(causes(results))

    assert said.endswith("6 more causes on 600 hosts")
    assert len(said) < 1200
    few = [ItemResult(f"n{number}", "failed", 0, "t", "x" * (198 + number)) for number in (1, 2, 3)]
    lines = [
        "1 failed at 't' (n1): " + "x" * 199,
        "1 failed at 't' (n2): " + "x" * 200,
        "1 failed at 't' (n3): " + "x" * 200 + "…",
    ]
    assert in_short(causes(few)) == "; ".join(lines)
    long_names = [ItemResult(letter * 40, "failed", 0, "", "") for letter in "abc"]
    assert in_short(causes(long_names)) == f"3 failed ({'a' * 40},{'b' * 40} … 3 in all): no reason was recorded"


def test_a_run_belongs_to_what_was_opened_for_all_of_its_causes_and_perhaps_more() -> None:
    """One cause less, as hosts are repaired one by one, opens nothing. Another cause does."""
    now, opened = Mock(Case, rules=RULES), {"NCR-1": frozenset({"disk", "fan"})}

    assert of_same_cause(now, opened, frozenset({"disk"})) == "NCR-1"
    assert of_same_cause(now, opened, frozenset({"disk", "link"})) is None
    assert of_same_cause(now, opened, frozenset({"disk", "fan", "link"})) is None
