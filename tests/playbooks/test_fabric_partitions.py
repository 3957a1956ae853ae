"""Who is in which partition, and the series of ports: worked out from what ibnetdiscover and ibqueryerrors print."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest

from tests.needs import needs
from tests.playbooks.scripts import script

LINKS = [
    ["fm-1 1", "leaf-1 1"], ["node-1 mlx5_0 1", "leaf-1 2"], ["node-2 mlx5_0 1", "leaf-1 3"], ["node-10 mlx5_0 1", "leaf-1 4"],
    ["leaf-1 33", "spine-1 1"],
]  # fmt: skip
CARDS = {"1": "fm-1", "2": "node-1 mlx5_0", "3": "node-2 mlx5_0", "4": "node-10 mlx5_0"}


def discovered(cards: dict[str, str]) -> str:
    """Return what ibnetdiscover prints of a leaf with these cards in its ports. A card's GUID follows from its name."""
    lines = ['Switch\t36 "S-0000000000200000"\t\t# "leaf-1" base port 0 lid 2 lmc 0']
    for port, name in cards.items():
        guid = f"{sum(map(ord, name)):x}"
        lines.append(f'[{port}]\t"H-00000000000000aa"[1]({guid}) \t\t# "{name}" lid 9 4xQDR')
    return "\n".join(lines)


def guid(name: str) -> str:
    return f"0x{sum(map(ord, name)):016x}"


def rendered(
    cards: dict[str, str], partitions: list[dict[str, Any]], earlier: dict[str, str] | None = None
) -> tuple[str, list[str]]:
    """Return the file, and who is left out."""
    site = {"links": LINKS, "managers": ["fm-1"], "partitions": partitions}
    found: tuple[str, list[str]] = script("subnet_manager", "fabric_partitions").rendered(
        site, discovered(cards), earlier or {}
    )
    return found


TENANT = [{"name": "first", "pkey": 1, "members": ["node-1"], "membership": "full"}]


def test_without_partitions_everybody_speaks_to_everybody() -> None:
    text, amiss = rendered(CARDS, [])

    assert text.endswith("Default=0x7fff,ipoib:\n  ALL=full;\n")
    assert amiss == []


def test_a_member_is_the_card_where_it_is_drawn_and_no_host_whose_name_begins_alike() -> None:
    text, amiss = rendered(CARDS, TENANT)

    assert text.endswith(f"first=0x0001:\n  {guid('node-1 mlx5_0')}=full; # node-1 mlx5_0 1\n")
    assert "ALL=limited," in text
    assert f"{guid('fm-1')}=full; # fm-1 1" in text
    assert guid("node-10 mlx5_0") not in text
    assert amiss == []


def test_a_card_that_says_a_members_name_at_another_port_is_no_member() -> None:
    """A name is what a card says of itself."""
    text, amiss = rendered(CARDS | {"2": "node-2 mlx5_0", "3": "node-1 mlx5_0"}, TENANT)

    assert "first" not in text
    assert amiss == ["node-1 mlx5_0 1 is drawn at leaf-1 2, where node-2 mlx5_0 1 is plugged in"]


def test_a_member_without_power_stays_one_and_one_never_seen_is_named() -> None:
    dark = {port: name for port, name in CARDS.items() if port != "2"}
    first, _ = rendered(CARDS, TENANT)
    earlier = {end: number for number, end in script("subnet_manager", "fabric_partitions").MEMBER.findall(first)}

    assert rendered(dark, TENANT, earlier) == (first, [])
    assert rendered(dark, TENANT)[1] == ["node-1 mlx5_0 1 is not plugged in, and was never seen"]


@pytest.mark.parametrize(
    ("partition", "says"),
    [
        ({"pkey": "0x0"}, r"fabric_partitions\[0\].pkey: '0x0' is no key: 0x1 to 0x7ffe"),
        ({"pkey": "0x8001"}, "is no key"),
        ({"pkey": "one"}, "is no key"),
        ({"name": "Default"}, "not Default"),
        ({"name": "a=b;c"}, "is no name"),
        ({"membership": "all"}, "neither full nor limited"),
        ({"members": ["node-9"]}, "node-9 has no card in fabric_links"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(partition: dict[str, Any], says: str) -> None:
    site = {"links": LINKS, "managers": ["fm-1"], "partitions": [TENANT[0] | partition]}

    (fault,) = script("subnet_manager", "fabric_partitions").faults(site)

    assert re.search(says, fault)


def test_two_partitions_of_one_key_are_refused() -> None:
    site = {"links": LINKS, "managers": ["fm-1"], "partitions": [*TENANT, TENANT[0] | {"name": "second"}]}

    assert script("subnet_manager", "fabric_partitions").faults(site) == [
        "fabric_partitions[1].pkey: 1 is that of first"
    ]


DATA = """\
Data Counters for 0x200000 "leaf-1"
   GUID 0x200000 port 1: [PortXmitData == 9 (36.000B)] [PortRcvData == 8 (32.000B)] [PortXmitPkts == 1 (1.000)] [PortRcvPkts == 2 (2.000)]
   GUID 0x200000 port 2: [PortXmitData == 0 (0.000)] [PortRcvData == 0 (0.000)] [PortXmitPkts == 0 (0.000)] [PortRcvPkts == 0 (0.000)]
"""
ERRORS = """\
Errors for 0x200000 "leaf-1"
   GUID 0x200000 port ALL: [SymbolErrorCounter == 5]
   GUID 0x200000 port 2: [SymbolErrorCounter == 5]
"""


@needs("promtool")
def test_series_of_ports_pass_promtool_and_have_errors_where_they_are() -> None:
    script("subnet_manager", "fabric_view")
    counters = script("fabric_counters", "fabric_counters")
    text = "\n".join([*counters.series(counters.counters(DATA), counters.counters(ERRORS)), *counters.own(1.0, 2), ""])

    assert 'infiniband_port_transmit_data_bytes_total{node="leaf-1",port="1"} 36' in text
    assert 'infiniband_port_symbol_errors_total{node="leaf-1",port="1"} 0' in text
    assert 'infiniband_port_symbol_errors_total{node="leaf-1",port="2"} 5' in text
    assert 'port="ALL"' not in text
    ran = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 3), ran.stderr  # 3: remarks, as on metrics without help
