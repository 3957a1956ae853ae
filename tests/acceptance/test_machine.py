"""Processor, memory, drives, identity, load: values out of captured and hand-written outputs."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.acceptance.handing import FIXTURES, entry, read, value


def test_captured_machine_is_read() -> None:
    assert value("008", "cpu.sockets") == 1
    assert value("008", "memory.total_gib") == Decimal("23.54")
    assert value("008", "disk.nvme") == 0
    assert value("031", "boot.uptime_s") == Decimal("6290.47")
    assert value("032", "disk.root_free_ratio") == Decimal("0.311118")


def test_nvme_drives_are_counted_without_partitions_and_failed_ones() -> None:
    drives = (
        '{"blockdevices": [{"name": "nvme0n1", "type": "disk", "tran": "nvme", "size": 3840755982336},'
        '{"name": "nvme1n1", "type": "disk", "tran": "nvme", "size": 0},'
        '{"name": "nvme2n1p1", "type": "part", "tran": "nvme", "size": 10},'
        '{"name": "sda", "type": "disk", "tran": "sata", "size": 10}]}'
    )

    found = read("008", "disk.nvme", lsblk=drives)

    assert (found.value, found.note) == (1, "nvme0n1")


@pytest.mark.parametrize(
    ("serial", "recorded"), [("SN0042", True), ("To Be Filled By O.E.M.", False), ("", False), ("000000", False)]
)
def test_serial_of_the_maker_s_placeholder_is_none(serial: str, recorded: bool) -> None:
    assert value("008", "inventory.serial_recorded", dmi=f"product_serial={serial}\n") is recorded


def test_serial_that_only_root_may_read_is_not_measured() -> None:
    found = read("008", "inventory.serial_recorded", dmi="sys_vendor=Maker\n")

    assert found.value is None
    assert found.note == "not measured: product_serial was not readable; let the playbook become root"


@pytest.mark.parametrize(
    ("dmi", "age"),
    [
        ("bios_date=03/15/2025\n", 365),
        ("bios_date=03/16/2026\n", 0),
        ("bios_date=03/17/2026\n", None),
        ("bios_date=2025-03-15\n", None),
        ("bios_date=03/15/2025\nbios_date=03/15/2026\n", None),
        ("bios_version=2\n", None),
    ],
)
def test_firmware_age_counts_from_its_release(dmi: str, age: int | None) -> None:
    assert value("007", "firmware.bios_release_age_days", dmi=dmi) == age


@pytest.mark.parametrize(
    ("lines", "bare"),
    [("bios=1\nbmc=\n", 1), ("nvme=1\nnvme=1\n", 0), ("bios=unknown\n", 1), ("", None), ("bios 1\n", None)],
)
def test_components_without_version_are_counted(lines: str, bare: int | None) -> None:
    assert value("007", "firmware.components_unversioned", firmware=lines) == bare


def test_verified_load_without_failure_is_nought_failures() -> None:
    assert value("035", "stress.cpu_failures") == 0
    assert value("035", "stress.memory_failures") == 0


def test_failed_stressor_is_counted_even_without_a_document() -> None:
    assert value("035", "stress.cpu_failures", stress_cpu=entry("", rc=2)) == 1
    assert value("035", "stress.cpu_failures", stress_cpu=entry("failed: 3: cpu (3)", rc=2)) == 3


def test_load_that_did_no_work_is_not_measured() -> None:
    whole = (FIXTURES / "stress_cpu.yaml").read_text()

    assert value("035", "stress.cpu_failures", stress_cpu=whole.replace("bogo-ops: 4212", "bogo-ops: 0")) is None
    assert value("035", "stress.memory_failures", stress_memory=whole) is None
    assert value("035", "stress.cpu_failures", stress_cpu=entry(whole, rc=3)) is None


def test_throughput_is_in_decimal_megabytes() -> None:
    jobs = '{"jobs": [%s, %s]}' % (('{"error": 0, "read": {"io_bytes": 1, "bw_bytes": 150000000}}',) * 2)

    assert value("035", "disk.read_mb_s", fio_read=jobs) == 300
    assert value("035", "disk.read_mb_s", fio_read=jobs.replace('"error": 0', '"error": 28')) is None
    assert value("035", "disk.read_mb_s", fio_read=jobs.replace('"io_bytes": 1', '"io_bytes": 0')) is None
    assert value("035", "disk.read_mb_s", fio_read='{"jobs": []}') is None
    assert value("035", "disk.read_mb_s", fio_read=jobs.replace("150000000", "NaN")) is None


def test_missing_tool_names_its_package() -> None:
    found = read("035", "disk.read_mb_s", fio_read=entry("", rc=127, tool="fio", missing="fio"))

    assert (found.value, found.note, found.source) == (None, "not measured: install fio", "fio")


def test_tool_that_ended_badly_says_how() -> None:
    found = read("035", "disk.write_mb_s", fio_write=entry("not enough space", rc=1, tool="fio"))

    assert found.note == "not measured: fio ended with exit status 1: not enough space"


def test_cut_output_says_that_it_does_not_parse() -> None:
    found = read("035", "disk.write_mb_s", fio_write=entry('{"jobs": [', tool="fio"))

    assert found.note == "not measured: the output of fio does not parse"


def test_command_that_only_carries_an_output_is_not_its_source() -> None:
    found = read("031", "boot.uptime_s", uptime=entry("x", tool="cat"))

    assert (found.source, found.note) == ("uptime", "not measured: the output of uptime does not parse")
