"""Kernel log, release, services, containers, links, ports, clock: values and what is in their way."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from steps.acceptance.measured import Measured
from steps.acceptance.measuring import measure
from tests.acceptance.hand_written import CHRONY_FOLLOWS
from tests.acceptance.handing import BASELINE, FIXTURES, TODAY, entry, read, value

LOG = (FIXTURES / "kernel_log.txt").read_text()


def link(name: str, *flags: str, state: str = "UP", mtu: int = 9000, kind: str = "ether") -> dict[str, object]:
    return {"ifname": name, "flags": list(flags), "operstate": state, "mtu": mtu, "link_type": kind}


def test_switches_that_came_with_the_release_say_how_a_roll_back_is_tried() -> None:
    """None is behind then, and no run would ever try it."""
    document = {"pinned": {"leaf-1": {"OS": "2"}}, "found": {"leaf-1": {"OS": "2"}}, "rolled_back": []}
    raw = {"switch_firmware": entry(json.dumps(document))}

    (found,) = measure(["switch.rollback_tested"], "leaf-1", raw, {}, today=TODAY)

    assert found.value is False
    assert "bring one to its former release, and play this again" in found.note


def test_captured_log_has_no_error() -> None:
    assert value("031", "kernel.hardware_errors") == 0
    assert value("031", "kernel.oom_kills") == 0


@pytest.mark.parametrize(
    "line",
    [
        "mce: [Hardware Error]: Machine check events logged",
        "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0",
        "pcieport 0000:40:01.1: PCIe Bus Error: severity=Corrected, type=Physical Layer",
        "pcieport 0000:40:01.1: AER: Corrected error received: 0000:41:00.0",
        "NVRM: Xid (PCI:0000:17:00): 79, pid=1, GPU has fallen off the bus.",
    ],
)
def test_hardware_error_of_hand_written_line_is_counted_and_quoted(line: str) -> None:
    found = read("031", "kernel.hardware_errors", kernel_log=f"{LOG}{line}\n")

    assert (found.value, found.note) == (1, line)


@pytest.mark.parametrize(
    "line",
    [
        "mce: CPU0 supports 32 MCE banks",
        "EDAC MC: Ver: 3.0.0",
        "pcieport 0000:40:01.1: AER: enabled with IRQ 28",
        "NVRM: Xid (PCI:0000:17:00): 31, pid=1, an application's fault",
    ],
)
def test_line_that_only_speaks_of_errors_is_none(line: str) -> None:
    assert value("031", "kernel.hardware_errors", kernel_log=f"{LOG}{line}\n") == 0


def test_oom_kills_are_counted() -> None:
    log = LOG + "Out of memory: Killed process 1 (a)\nMemory cgroup out of memory: Killed process 2 (b)\n"

    assert value("031", "kernel.oom_kills", kernel_log=log) == 2


def test_log_that_does_not_reach_the_boot_proves_errors_but_not_their_absence() -> None:
    assert value("031", "kernel.hardware_errors", kernel_log="-- No entries --") is None
    assert value("031", "kernel.hardware_errors", kernel_log="x: [Hardware Error]: y") == 1


@pytest.mark.parametrize(
    ("baseline", "matches"),
    [
        ("Debian 12", True),
        ("debian gnu/linux 12", True),
        ("Debian GNU/Linux 12 (bookworm)", True),
        ("Debian 1", False),
        ("Debian 11", False),
        ("Ubuntu 12", False),
        ("Debian", None),
        ("", None),
        (None, None),
    ],
)
def test_release_is_held_against_the_baseline(baseline: str | None, matches: bool | None) -> None:
    stated = json.dumps(BASELINE | {"operating_system_baseline": baseline})

    assert value("032", "os.release_matches_baseline", baseline=stated) is matches


@pytest.mark.parametrize(
    ("step", "metric", "name"),
    [
        ("032", "os.release_matches_baseline", "operating_system_baseline"),
        ("148", "gpu.driver_version_matches", "gpu_driver_version"),
        ("068", "ports.unexpected", "listening_ports_policy"),
    ],
)
def test_unset_baseline_says_where_to_state_it(step: str, metric: str, name: str) -> None:
    assert read(step, metric, baseline="{}").note == f"not measured: state {name} in the inventory"


def test_failed_units_are_counted_and_named() -> None:
    assert read("032", "os.failed_units").note == "nvidia-persistenced.service"
    assert value("032", "os.failed_units", systemctl_failed="") == 0
    captured = (FIXTURES / "systemctl_failed.txt").read_text()
    assert value("032", "os.failed_units", systemctl_failed=entry(captured, rc=1)) is None
    assert value("032", "os.failed_units", systemctl_failed=captured) is None


@pytest.mark.parametrize(
    ("said", "supported"),
    [
        ("Docker version 28.2.2, build e6534b4", True),
        ("Docker version 19.03.8, build afacb8b", False),
        ("containerd containerd.io 1.7.27 05044ec0a9a7", True),
        ("containerd github.com/containerd/containerd v2.0.1 88aa2f5", True),
        ("containerd github.com/containerd/containerd 0.2.5", False),
        ("podman version 4.3.1", True),
        ("podman version 3.4.4", False),
        ("Docker version 2", None),
        ("", None),
    ],
)
def test_container_runtime_is_told_by_its_version(said: str, supported: bool | None) -> None:
    assert value("152", "container.runtime_supported", docker=said) is supported


def test_captured_links_leave_out_loopback_and_what_is_switched_off() -> None:
    assert value("047", "link.up_ratio") == 1
    assert value("054", "path_mtu.min") == 1400
    assert read("047", "link.speed_min_gbit").note == "not measured: the link speed of eth0 is unknown"


def test_dark_link_lowers_the_share_and_the_slowest_link_decides() -> None:
    links = json.dumps(
        [
            link("ens1", "UP", "LOWER_UP"),
            link("ens2", "UP", state="DOWN", mtu=1500),
            link("ib0", "UP", "LOWER_UP", state="UNKNOWN", kind="infiniband"),
            link("docker0", "UP", state="DOWN", mtu=576),
            link("veth1", "UP", "LOWER_UP"),
            link("ens3", state="DOWN"),
        ]
    )
    speeds = "== ens1\n\tSpeed: 400000Mb/s\n== ens2\n\tSpeed: 1000Mb/s\n== ib0\n\tSpeed: 200000Mb/s\n"

    assert value("047", "link.up_ratio", ip_link=links) == Decimal("0.666666")
    assert value("047", "link.speed_min_gbit", ip_link=links, ethtool=entry(speeds, rc=75)) == 1
    assert value("054", "path_mtu.min", ip_link=links) == 1500
    assert value("047", "link.speed_min_gbit", ip_link=links, ethtool=speeds[:-5]) is None
    assert value("047", "link.up_ratio", ip_link="[]") is None


FABRIC = {"fabric": "infiniband", "rails": Decimal(2)}
RAILS = [link("ens1", "UP", "LOWER_UP"), link("ens2", "UP", "LOWER_UP")]
DARK = [link(f"ens{n}", state="DOWN") for n in range(10)]
MANAGEMENT = link("eno1", "UP", "LOWER_UP", mtu=1500)
SPEEDS = "== eno1\n\tSpeed: 1000Mb/s\n== ens1\n\tSpeed: 400000Mb/s\n== ens2\n\tSpeed: 400000Mb/s\n"


def of_fabric(metric: str, links: list[dict[str, object]], ports: object = ("ens1", "ens2")) -> Measured:
    """Return what is read of a server's links, on whose fabric the inventory plans these ports."""
    planned = json.dumps(ports)
    return read("047", metric, FABRIC, ip_link=json.dumps(links), ethtool=SPEEDS, planned_ports=planned)


def test_ports_that_are_switched_off_are_down_although_a_management_port_is_up() -> None:
    """Ten dark ports and one management port were met."""
    found = of_fabric("link.up_ratio", [MANAGEMENT, *DARK])

    assert (found.value, found.note) == (0, "down: ens1, ens2")
    assert of_fabric("link.up_ratio", [MANAGEMENT, RAILS[0]]).note == "down: ens2"
    assert of_fabric("link.up_ratio", [MANAGEMENT, *RAILS]).value == 1


def test_a_slow_management_port_does_not_fail_a_good_server() -> None:
    assert of_fabric("link.speed_min_gbit", [MANAGEMENT, *RAILS]).value == 400
    assert of_fabric("link.speed_min_gbit", [MANAGEMENT, *RAILS], ["ens1", "eno1"]).value == 1


@pytest.mark.parametrize(
    ("ports", "note"),
    [
        ([], "state fabric_ports in the inventory: the names of the ports of the fabric"),
        (["ens1"], "ports in fabric_ports: 1; rails of the design: 2"),
        ("ens1", "fabric_ports is no list of names; write `[ens1np0]`"),
    ],
)
def test_ports_are_planned_as_many_as_the_design_has_rails(ports: object, note: str) -> None:
    found = of_fabric("link.up_ratio", RAILS, ports)

    assert (found.value, found.note) == (None, f"not measured: {note}")


ENDS = {"ens1": ["10.1.1.1"], "ens2": ["10.1.2.1"]}
JUMBO = [link(f"ens{n}", "UP", "LOWER_UP", mtu=9000) for n in (1, 2)]


def of_path(
    fabric: str, probed: list[tuple[str, str, int | None]], links: list[dict[str, object]] = JUMBO, ends: object = ENDS
) -> Measured:
    """Return what is read of a server's paths: a port, a far end and the bytes that came back of each."""
    said = [dict(zip(("port", "peer", "bytes"), one, strict=True)) for one in probed]
    return read(
        "054", "path_mtu.min", FABRIC | {"fabric": fabric}, ip_link=json.dumps(links), planned_ports='["ens1", "ens2"]',
        planned_paths=json.dumps(ends), path_probe=json.dumps(said),
    )  # fmt: skip


BOTH: list[tuple[str, str, int | None]] = [("ens1", "10.1.1.1", 9000), ("ens2", "10.1.2.1", 9000)]


def test_every_path_of_every_port_counts_and_no_other() -> None:
    """A packet that the default gateway answered over any port was the proof of all paths."""
    gateway: tuple[str, str, int | None] = ("eno1", "10.0.0.1", 9000)

    assert of_path("roce", BOTH).value == 9000
    assert of_path("roce", [BOTH[0], ("ens2", "10.1.2.1", 1500)]).note == "smallest: ens2 to 10.1.2.1"
    assert of_path("roce", [gateway]).value is None
    assert of_path("roce", [BOTH[0], ("ens1", "10.1.2.1", 9000)]).value is None
    assert "no answer over ens2 from 10.1.2.1" in of_path("roce", [BOTH[0], ("ens2", "10.1.2.1", None)]).note
    assert "far end of ens2" in of_path("roce", BOTH, ends={"ens1": ["10.1.1.1"]}).note


def test_beside_an_infiniband_fabric_the_ports_of_the_storage_network_count() -> None:
    """Ports of InfiniBand have no Ethernet frames, and a management port needs none of 9000 bytes."""
    storage = [MANAGEMENT, link("ib0", "UP", "LOWER_UP", mtu=4092), *JUMBO]

    assert of_path("infiniband", BOTH, storage).value == 9000
    assert "by port of the storage network" in of_path("infiniband", BOTH, storage, ends={}).note
    assert of_path("infiniband", BOTH, storage, ends={"ens1": "10.1.1.1"}).value is None


def test_a_single_machine_is_measured_by_its_default_gateway() -> None:
    assert of_path("none", [("ens1", "10.0.0.1", 9000)], ends={}).value == 9000
    assert of_path("none", [("ens1", "10.0.0.1", 1500)], ends={}).value == 1500
    assert of_path("none", [], ends={}).value is None


def test_sockets_of_loopback_and_of_the_policy_are_expected() -> None:
    assert value("068", "ports.unexpected") == 0
    assert read("068", "ports.unexpected", baseline='{"listening_ports_policy": []}').note == "tcp/2024"


def test_outside_sockets_are_counted_by_hand_written_lines() -> None:
    lines = [
        "tcp LISTEN 0 128 127.0.0.53%lo:53 0.0.0.0:*",
        "tcp LISTEN 0 128 [::1]:631 [::]:*",
        "tcp LISTEN 0 128 [::ffff:127.0.0.1]:8080 *:*",
        "tcp LISTEN 0 128 *:22 *:*",
        "udp UNCONN 0 0 [fe80::1]%eth0:546 [::]:*",
        "udp UNCONN 0 0 [::]:2024 [::]:*",
    ]

    found = read("068", "ports.unexpected", ss="\n".join(lines))

    assert (found.value, found.note) == (3, "tcp/22, udp/2024, udp/546")
    assert value("068", "ports.unexpected", ss="\n".join(lines)[:-8]) is None


def test_policy_of_another_spelling_is_not_measured() -> None:
    for policy in (["22/tcp"], [22], "tcp/22"):
        stated = json.dumps({"listening_ports_policy": policy})
        assert value("068", "ports.unexpected", baseline=stated) is None


def test_clock_that_follows_a_source_is_measured() -> None:
    assert value("144", "time.synchronised") is True
    assert value("144", "time.offset_abs_ms") == Decimal("0.25")
    assert value("144", "time.stratum") == 3


def test_clock_that_follows_a_grandmaster_is_told_from_one_that_follows_a_server() -> None:
    assert value("144", "time.follows_ptp", chrony=(FIXTURES / "chrony_ptp.txt").read_text()) is True
    assert value("144", "time.follows_ptp") is False


@pytest.mark.parametrize("capture", ["chrony_unsynchronised.txt", "chrony_own_clock.txt"])
def test_captured_clock_without_a_source_has_no_offset(capture: str) -> None:
    said = (FIXTURES / capture).read_text()

    assert value("144", "time.synchronised", chrony=said) is False
    assert value("144", "time.offset_abs_ms", chrony=said) is None
    assert value("144", "time.stratum", chrony=said) is None
    assert value("144", "time.follows_ptp", chrony=said) is None


def test_timedatectl_stands_in_where_chrony_is_missing_but_not_where_it_is_garbled() -> None:
    missing = entry("", rc=127, missing="chrony")

    assert value("144", "time.synchronised", chrony=missing) is True
    assert value("144", "time.synchronised", chrony=missing, timedatectl="NTPSynchronized=no\n") is False
    assert value("144", "time.synchronised", chrony=CHRONY_FOLLOWS[:-4]) is None
    assert read("144", "time.stratum", chrony=missing).note == "not measured: install chrony"
