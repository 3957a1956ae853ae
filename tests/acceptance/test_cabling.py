"""Cables as found against as drawn: what is wrong is found and nothing else, and closed only when it is seen right."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedule.errors import InputError
from steps.acceptance.measuring import measure
from steps.cabling import finding
from steps.cabling.cable import Cable, CableEnd, FarSide, PortSeen, Reading
from steps.cabling.comparing import Comparison, compare
from steps.cabling.reading.found_file import read_found
from steps.cabling.schedule_file import named, read_names, read_schedule
from steps.cabling.worklist import WorkItem, as_json, from_json, worklist

FIXTURES = Path(__file__).parent / "fixtures" / "tools"
NODES, RAILS = 4, 3
FREE = 9
"""A port of every leaf to which no cable is drawn."""

Links = dict[CableEnd, CableEnd]


def drawn() -> list[Cable]:
    """Return a small fabric: each server has a link to the leaf of each rail, in a rack of its own."""
    return [
        Cable(
            f"C{node}{rail}",
            CableEnd(f"node-{node}", f"eth{rail}"),
            CableEnd(f"leaf-{rail}", f"{node}"),
            "r1",
            f"r{rail}",
            "",
            str(rail),
            400,
        )
        for node in range(1, NODES + 1)
        for rail in range(1, RAILS + 1)
    ]


CABLES = drawn()
AS_DRAWN: Links = {cable.a: cable.b for cable in CABLES}


def seen(links: Links, *, by: str = "both", slow: frozenset[CableEnd] = frozenset()) -> Reading:
    """Return what all ports report of these links, read from servers, switches or both. `slow` are server ports at half rate."""
    ends = dict(links) | {b: a for a, b in links.items()}
    every = {end for cable in CABLES for end in (cable.a, cable.b)} | set(ends)
    rates = {end: 200.0 if end in slow or ends.get(end) in slow else 400.0 for end in every}
    ports = [
        PortSeen(
            end.device,
            end.port if end.device.startswith("node") else f"swp{end.port}",
            end in ends,
            rates[end] if end in ends else None,
            neighbours=(_heard(ends[end]),) if end in ends else (),
        )
        for end in sorted(every)
    ]
    return Reading(tuple(port for port in ports if by == "both" or port.device.startswith(by)))


def _heard(end: CableEnd) -> FarSide:
    return FarSide(f"{end.device}.site.example", (end.port if end.device.startswith("node") else f"swp{end.port}",))


def said(comparison: Comparison) -> set[tuple[str, frozenset[str]]]:
    """Return kind and cables of every finding."""
    return {(found.kind, found.key) for found in comparison.findings}


@st.composite
def faults(draw: st.DrawFn) -> tuple[Links, frozenset[CableEnd], set[tuple[str, frozenset[str]]]]:
    """Draw faults at different cables, with the findings that they are."""
    links, slow = dict(AS_DRAWN), set()
    expected: set[tuple[str, frozenset[str]]] = set()
    left = list(draw(st.permutations(CABLES)))
    free = {CableEnd(f"leaf-{rail}", str(FREE)) for rail in range(1, RAILS + 1)}
    for kind in draw(st.lists(st.sampled_from(("move", "swap", "unplug", "slow")), max_size=4)):
        cable = left.pop()
        if kind == "swap":
            other = left.pop()
            links[cable.a], links[other.a] = other.b, cable.b
            expected.add((finding.SWAPPED_PAIR, frozenset((cable.name, other.name))))
        elif kind == "move" and free:
            place = draw(st.sampled_from(sorted(free)))
            free.discard(place)
            links[cable.a] = place
            is_same = place.device == cable.b.device
            expected.add((finding.WRONG_PORT if is_same else finding.WRONG_RAIL, frozenset((cable.name,))))
        elif kind == "slow":
            slow.add(cable.a)
            expected.add((finding.DEGRADED, frozenset((cable.name,))))
        else:
            del links[cable.a]
            expected.add((finding.MISSING, frozenset((cable.name,))))
    return links, frozenset(slow), expected


@given(faults(), st.sampled_from(("both", "node", "leaf")))
def test_what_is_wrong_is_found_and_nothing_else(drawn_faults: tuple[Links, frozenset[CableEnd], Any], by: str) -> None:
    """Whether servers, switches or both were read."""
    links, slow, expected = drawn_faults

    comparison = compare(CABLES, seen(links, by=by, slow=slow))

    assert said(comparison) == expected
    assert comparison.right == {cable.name for cable in CABLES} - {name for _, names in expected for name in names}
    assert not comparison.unverified


@given(faults(), faults())
def test_a_finding_is_closed_when_its_cables_are_seen_right_and_not_before(first: Any, second: Any) -> None:
    """Nothing is closed by not being read; what goes on keeps the time at which it was first seen."""
    before = worklist(compare(CABLES, seen(first[0], slow=first[1])), (), "monday")
    nothing = worklist(compare(CABLES, Reading(())), before, "tuesday")
    now = compare(CABLES, seen(second[0], slow=second[1]))
    after = worklist(now, nothing, "wednesday")

    assert {entry.finding.key for entry in nothing} == {names for _, names in first[2]}
    assert not any(entry.closed for entry in nothing)
    closed = {name for entry in after if entry.closed for name in entry.finding.cables}
    assert closed <= now.right
    for entry in after:
        known = any(entry.finding.key & names for _, names in first[2])
        assert entry.since == ("monday" if known else "wednesday")
    assert from_json(json.loads(json.dumps([as_json(entry) for entry in after]))) == after


def test_a_worklist_goes_from_rack_to_rack() -> None:
    """Rack 10 comes after rack 9, as a technician walks."""
    cables = [cable._replace(b_rack=f"row-1/rack-{cable.b.device[-1]}0", a_rack="row-1/rack-9") for cable in CABLES]
    links = {a: b for a, b in AS_DRAWN.items() if a.port in ("eth1", "eth3")} | {
        CableEnd("node-1", "eth2"): CableEnd("leaf-1", "9")
    }

    racks = [entry.finding.rack for entry in worklist(compare(cables, seen(links)), (), "")]

    assert racks == sorted(racks, key=lambda rack: int(rack.rpartition("-")[2]))


def test_nothing_read_is_nothing_verified() -> None:
    """It is no pass either."""
    comparison = compare(CABLES, Reading((), {"leaf-1": "no answer"}))

    assert not comparison.right
    assert not comparison.findings
    assert len(comparison.unverified) == len(CABLES)
    assert comparison.unread == {"leaf-1": "no answer"}


def test_what_a_dark_port_heard_before_counts_less_than_what_is_heard_now() -> None:
    """A cable was just moved: the port that it left still names it until the entry ages out."""
    moved = CABLES[0]
    found = seen({**AS_DRAWN, moved.a: CableEnd("leaf-1", str(FREE))})
    old = PortSeen("leaf-1", f"swp{moved.b.port}", up=False, neighbours=(_heard(moved.a),))

    assert said(compare(CABLES, Reading((*found.ports, old)))) == {(finding.WRONG_PORT, frozenset((moved.name,)))}
    only = Reading((*seen({a: b for a, b in AS_DRAWN.items() if a != moved.a}).ports, old))
    assert said(compare(CABLES, only)) == {(finding.DEGRADED, frozenset((moved.name,)))}


def test_a_port_that_is_up_and_hears_nobody_is_not_verified() -> None:
    """The far side may not speak LLDP; the cable may be right."""
    cable = CABLES[0]
    ports = [
        port._replace(neighbours=()) if port.device == "leaf-1" else port for port in seen(AS_DRAWN, by="leaf").ports
    ]

    comparison = compare(CABLES, Reading(tuple(ports)))

    assert "does LLDP run there" in comparison.unverified[cable.name]
    assert said(comparison) == set()


def test_a_port_that_announces_its_address_is_found_by_it() -> None:
    """Without the address of any card it is only known which server it is."""
    cable = CABLES[0]
    heard = FarSide("node-1", ("02:00:00:00:00:01", ""), "02:00:00:00:00:01")
    switch = PortSeen("leaf-1", "swp1", up=True, gbit=400, neighbours=(heard,))
    card = PortSeen("node-1", "eth1", up=True, mac="0200.0000.0001")

    assert compare([cable], Reading((switch, card))).right == {cable.name}
    alone = compare([cable], Reading((switch,)))
    assert "does not say which" in alone.unverified[cable.name]
    assert not alone.findings


def test_the_name_of_a_servers_port_is_never_taken_for_its_number() -> None:
    """`eno1` manages the server, and `mlx5_1` may be any rail: without a table of names nothing is verified, and nothing wrong."""
    cable = Cable("C1", CableEnd("node-1", "1"), CableEnd("leaf-1", "1"))
    managed = PortSeen("node-1", "eno1", up=True, neighbours=(FarSide("oob-1", ("swp3",)),))
    switch = PortSeen("leaf-1", "swp1", up=True, neighbours=(FarSide("node-1", ("mlx5_1",)),))
    own = PortSeen("leaf-1", "eth1", up=True, neighbours=(FarSide("oob-1", ("swp4",)),))

    comparison = compare([cable], Reading((managed, switch, own)))

    assert not comparison.findings
    assert "--names" in comparison.unverified["C1"]


def test_a_cable_that_nobody_drew_is_found_and_the_network_that_manages_a_switch_is_not() -> None:
    """Each switch has one port for that, which hears another switch."""
    extra = {CableEnd("leaf-1", str(FREE)): CableEnd("leaf-2", str(FREE))}
    managed = PortSeen("leaf-1", "eth0", up=True, neighbours=(FarSide("oob-1", ("swp3",)),))

    comparison = compare(CABLES, Reading((*seen({**AS_DRAWN, **extra}).ports, managed)))

    assert said(comparison) == {(finding.UNEXPECTED, frozenset(("leaf-1 swp9", "leaf-2 swp9")))}


def test_a_technician_is_sent_to_the_power_of_a_dark_server_and_told_what_is_in_the_way() -> None:
    """Both would cost a walk for nothing."""
    dark = {a: b for a, b in AS_DRAWN.items() if a.device != "node-1"}
    assert all("power of node-1" in found.action for found in compare(CABLES, seen(dark)).findings)

    first, second, third = CABLES[0], CABLES[RAILS], CABLES[2 * RAILS]
    turned = {**AS_DRAWN, first.a: second.b, second.a: third.b, third.a: first.b}
    actions = {found.cables[0]: found.action for found in compare(CABLES, seen(turned)).findings}
    assert "node-3 eth1 is in that port: move it first" in actions[first.name]
    assert "1 port lower" in actions[first.name]


SWITCH = {
    "swp1": {
        "type": "swp",
        "link": {"state": {"up": {}}, "speed": "400G"},
        "lldp": {"neighbor": {"node-1": {"chassis": {"system-name": "node-1"}, "port": {"id": "eth1"}}}},
    },
    "swp2": {"type": "swp", "link": {"state": {"down": {}}, "speed": "400G"}},
    "eth0": {"type": "eth", "link": {"state": {"up": {}}, "speed": "1G"}},
}
ARISTA = {
    "result": [
        {
            "lldpNeighbors": {
                "Ethernet1": {
                    "lldpNeighborInfo": [{"systemName": "node-1", "neighborInterfaceInfo": {"interfaceId": '"eth1"'}}]
                }
            }
        },
        {
            "interfaceStatuses": {
                "Ethernet1": {"linkStatus": "connected", "bandwidth": 4e11},
                "Ethernet2": {"linkStatus": "notconnect"},
            }
        },
    ]
}
CARD = [
    {
        "Id": "eth1",
        "LinkStatus": "LinkUp",
        "CurrentSpeedGbps": 400,
        "Ethernet": {
            "AssociatedMACAddresses": ["02:00:00:00:00:01"],
            "LLDPReceive": {"SystemName": "leaf-1", "PortId": "swp1"},
        },
    }
]


@pytest.mark.parametrize(
    ("device", "document"), [("leaf-1", SWITCH), ("leaf-1", ARISTA), ("node-1", CARD)], ids=["nvue", "eapi", "redfish"]
)
def test_switches_and_controllers_are_read_in_their_own_forms(device: str, document: object) -> None:
    """NVUE, eAPI and Redfish say the same of one cable."""
    found = read_found(device, json.dumps(document), "found.json")

    assert compare(CABLES[:1], found).right == {CABLES[0].name}
    assert found.ports[0].gbit == 400


def test_a_host_is_read_as_the_playbook_writes_it_and_as_lldpcli_prints_it() -> None:
    """The playbook adds state, speed and address of each port."""
    lldp = (FIXTURES / "lldp.json").read_text(encoding="utf-8")
    links = [{"ifname": "accv1", "operstate": "UP", "flags": ["UP"], "address": "02:00:00:00:00:02"}]
    written = {"lldp": lldp, "ip_link": json.dumps(links), "ethtool": "== accv1\n\tSpeed: 100000Mb/s\n"}

    (bare,) = read_found("host", lldp, "host.json").ports
    (port,) = read_found("host", json.dumps(written), "host.json").ports

    assert bare.neighbours == port.neighbours
    assert port.neighbours[0].device == "leaf1"
    assert (bare.up, port.up, port.gbit, port.mac) == (None, True, 100.0, "02:00:00:00:00:02")


def test_a_fabric_is_read_from_iblinkinfo() -> None:
    """Every link of the simulated fabric is seen from both ends, and could be wider."""
    text = (FIXTURES / "iblinkinfo.txt").read_text(encoding="utf-8")
    cables = [
        Cable("1", CableEnd("gpu5", "1"), CableEnd("leaf2", "1")),
        Cable("2", CableEnd("gpu6", "1"), CableEnd("leaf2", "2"), gbit=10),
        Cable("3", CableEnd("gpu7", "1"), CableEnd("leaf2", "4")),
    ]

    comparison = compare(cables, read_found("fabric", text, "iblinkinfo.txt"))
    told = {found.cables: (found.kind, found.says) for found in comparison.findings if found.cables}

    assert comparison.right == {"2"}
    assert told["1",] == (finding.DEGRADED, "gpu5 1 to leaf2 1: could be 12X, 10.0 Gbps")
    assert told["3",][0] == finding.WRONG_PORT


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", "Switch: leaf\n what is this", '{"lldp": {"interface": 3}}', "a,b\n1,2"]
)
def test_what_cannot_be_read_is_an_error_with_the_file(text: str) -> None:
    """Nothing is left out in silence."""
    with pytest.raises(InputError, match=r"read for neighbours") as raised:
        print(read_found("leaf-1", text, "found/leaf-1.json"))

    assert raised.value.place is not None
    assert raised.value.place.file == "found/leaf-1.json"


def test_step_062_is_measured_from_lldp_where_the_fabric_is_ethernet() -> None:
    """Only a host that reads the subnet has ibnetdiscover; without it, its own ends count."""
    raw = {
        "lldp": {"tool": "lldpcli", "rc": 0, "stdout": (FIXTURES / "lldp.json").read_text(encoding="utf-8")},
        "planned_ends": {
            "tool": "echo",
            "rc": 0,
            "stdout": '{"accv1": ["leaf1", "accv0"], "accv2": ["leaf2", "swp1"]}',
        },
    }

    found = measure(("topology.mismatches", "topology.links_found_ratio"), "node-1", raw, {}, today=date(2026, 11, 26))

    assert [reading.value for reading in found] == [1, Decimal("0.5")]
    assert "accv2: nobody, planned leaf2 swp1" in found[0].note


@pytest.mark.parametrize(
    ("after", "downs", "symbols"),
    [
        ("eth1 1 0 0\neth0 9 9 9", 0, 0),
        ("eth1 3 2 1\neth0 1 0 0", 2, 3),
        # a host that started again counts from nothing, and a port that is gone counts nothing
        ("eth1 0 0 0\neth0 1 0 0", None, 0),
        ("eth0 1 0 0", None, None),
        ("eth1 1 0\neth0 1 0 0", None, None),
    ],
)
def test_counters_of_planned_ethernet_ports_are_held_against_those_before(
    after: str, downs: int | None, symbols: int | None
) -> None:
    texts = {
        "lldp": "{}",
        "planned_ends": json.dumps({"eth1": ["leaf-1", "swp1"]}),
        "port_counters_before": "eth1 1 0 0\neth0 1 0 0",
        "port_counters": after,
    }
    raw = {name: {"tool": "sh", "rc": 0, "stdout": text} for name, text in texts.items()}

    found = measure(("port.link_down_growth", "port.symbol_error_growth"), "n1", raw, {}, today=date(2026, 11, 27))

    assert [reading.value for reading in found] == [downs, symbols]


def test_names_on_site_are_given_by_list_and_by_pattern() -> None:
    """A card is in a list by its rail, a switch port in a pattern."""
    names = read_names(b"drawn,device,ports\nnode-1,gpu001,a0 a1 a2\nleaf-*,,swp{}\n", "names.csv")
    cables = read_schedule(b"cable,a_device,a_port,b_device,b_port\nC1,node-1,2,leaf-2,7\n", "cables.csv")

    (cable,) = named(cables, names)

    assert (cable.a, cable.b) == (CableEnd("gpu001", "a1"), CableEnd("leaf-2", "swp7"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cable,a_device\n", "no column a_port, b_device, b_port"),
        ("cable,a_device,a_port,b_device,b_port\n", "no cable"),
        ("cable,a_device,a_port,b_device,b_port\nC1,n,1,l,1\nC2,n,2,l,1\n", "l 1 is also on line 2"),
        ("cable,a_device,a_port,b_device,b_port,gbit\nC1,n,1,l,1,fast\n", "'fast' is no rate"),
        ("cable,a_device,a_port,b_device,b_port\nC1,n,1,l\n", "4 cells under 5 columns"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused_with_its_line(text: str, words: str) -> None:
    """As every file that a person writes."""
    with pytest.raises(InputError, match=words):
        read_schedule(text.encode(), "cables.csv")


def test_an_earlier_worklist_that_is_none_is_refused() -> None:
    """A file of another kind closes nothing."""
    entry = as_json(WorkItem(compare(CABLES, seen({})).findings[0], "monday"))

    assert from_json([entry])
    for wrong in ({}, entry | {"kind": "odd"}, entry | {"ends": "x"}):
        with pytest.raises((LookupError, TypeError, ValueError)):
            from_json([wrong])
