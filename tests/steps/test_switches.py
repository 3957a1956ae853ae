"""Ethernet switches are configured as their cables and addresses are drawn, in documents that the vendor's own model takes."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

import pytest
import yaml

from schedule.errors import InputError
from steps.cabling.schedule_file import SiteNames
from steps.design.design import design_of_preset
from steps.design.nodes import addresses_of
from steps.design.preset import preset_names
from steps.switches import nvue
from steps.switches.comparing import Difference, differences, names_of
from steps.switches.designed import switches_of, unjoined
from steps.switches.services import SiteServers
from steps.switches.switch import COMPUTE, IN_BAND, OUT_OF_BAND, STORAGE, Switch

SERVICES = SiteServers.model_validate({"ntp": ["10.0.0.5"], "dns": ["10.0.0.6"], "syslog": ["10.0.0.7"]})
ROCE = "gb300-nvl72-su"
WITHOUT_SWITCHES = {"localhost", "tpu-v5p-pod"}


@cache
def switches(preset: str) -> list[Switch]:
    """Return the switches of a preset."""
    return switches_of(design_of_preset(preset))


def one(preset: str, network: str, level: int = 0) -> Switch:
    """Return the first switch of a network and level."""
    return next(each for each in switches(preset) if (each.network, each.level) == (network, level))


def beyond_the_model(found: Iterable[Switch]) -> Iterator[tuple[Difference, ...]]:
    """Yield what the model does not know of each switch. A value that it refuses is an error."""
    model = importlib.import_module(f"nvueschema.models.v{nvue.RELEASE.replace('.', '_')}").NvueConfig
    for switch in found:
        document = nvue.document(switch, SERVICES)
        taken = model.model_validate(document).model_dump(by_alias=True, exclude_unset=True, mode="json")
        yield tuple(differences(switch.name, document, taken))


@pytest.mark.parametrize("preset", ["gb200-nvl72", "lab", ROCE])
def test_the_vendors_model_takes_a_switch_of_each_kind(preset: str) -> None:
    """Every key is one of Cumulus Linux, and every value one that it takes."""
    kinds = {(each.network, each.level): each for each in switches(preset)}

    assert not list(chain.from_iterable(beyond_the_model(kinds.values())))


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("preset", sorted({*preset_names()} - WITHOUT_SWITCHES))
def test_the_vendors_model_takes_every_switch(preset: str) -> None:
    """Of every preset with Ethernet, to thousands of switches in three tiers."""
    found = list(beyond_the_model(switches(preset)))

    assert found
    assert not list(chain.from_iterable(found))


def test_the_model_would_notice() -> None:
    """The judge itself: a key that Cumulus Linux does not have, and a value out of its range."""
    model = importlib.import_module("nvueschema.models.v5_16").NvueConfig
    document = {"interface": {"swp1": {"link": {"mtuu": 9216}}}}

    assert differences("leaf", document, model.model_validate(document).model_dump(by_alias=True, exclude_unset=True))
    with pytest.raises(ValueError, match="9216"):
        model.model_validate({"interface": {"swp1": {"link": {"mtu": 9217}}}})


def test_switches_are_numbered_as_the_address_plan_counts_them() -> None:
    """One AS number a leaf, one for the spines of a plane; no address or number is used twice."""
    found = switches(ROCE)
    plan = addresses_of(design_of_preset(ROCE))
    leaves = [each.asn for each in found if (each.network, each.level) == (COMPUTE, 0)]
    spines = {each.asn for each in found if (each.network, each.level) == (COMPUTE, 1)}
    addresses = [each.management.address for each in found] + [each.loopback for each in found if each.loopback]

    first, last = plan.asns["leaf"]
    assert leaves == [*range(first, last + 1)]
    assert spines == {*range(plan.asns["spine"][0], plan.asns["spine"][1] + 1)}
    assert len(set(addresses)) == len(addresses)


def test_a_compute_leaf_has_its_rail_and_no_bundle() -> None:
    """Rails are single links: a bundle would hide a dead one. Switches between them are reached by routing."""
    leaf = one(ROCE, COMPUTE)
    document = nvue.document(leaf, SERVICES)
    down = [port for port in leaf.ports if not port.is_routed]
    interfaces = document["interface"]

    assert leaf.bonds == ()
    assert {port.vlan for port in down} == {300}
    assert interfaces[down[0].name]["bridge"]["domain"]["br_default"]["access"] == 300
    assert interfaces[down[0].name]["description"] == f"{down[0].cable} {down[0].far}"
    assert interfaces["swp1"]["link"]["breakout"] == {"2x": {}}
    assert interfaces["swp1s0"]["link"] == {"state": {"up": {}}, "mtu": 9216, "speed": "400G"}
    assert document["qos"]["roce"]["mode"] == "lossless"
    assert set(document["vrf"]["default"]["router"]["bgp"]["neighbor"]) == {port.name for port in leaf.routed}
    assert "bridge" not in interfaces[leaf.routed[0].name]


def test_a_servers_storage_links_are_one_segment_at_two_leaves() -> None:
    """Both leaves say the same LACP system and segment, so that the server sees one switch."""
    first, second = [each for each in switches(ROCE) if each.network == STORAGE and each.level == 0][:2]
    by_server = {bond.far: bond.segment for bond in first.bonds}

    assert first.bonds
    assert by_server == {bond.far: bond.segment for bond in second.bonds}
    assert len(set(by_server.values())) == len(by_server)
    bond = nvue.document(first, SERVICES)["interface"]["bond1"]
    assert bond["bond"]["mode"] == "lacp"
    assert bond["bridge"]["domain"]["br_default"]["access"] == 200
    assert bond["evpn"]["multihoming"]["segment"]["mac-address"] == nvue.SEGMENT_MAC


def test_a_cage_of_four_links_is_split_in_four() -> None:
    """Also where three of them have a cable; one that nobody can split is an error."""
    leaf = switches("lab")[0]
    ports = [leaf.ports[0]._replace(name=f"swp1s{link}") for link in range(3)]
    interfaces = nvue.document(leaf._replace(ports=tuple(ports)), SERVICES)["interface"]

    assert interfaces["swp1"]["link"]["breakout"] == {"4x": {}}
    with pytest.raises(InputError, match="swp1s8"):
        nvue.document(leaf._replace(ports=(ports[0]._replace(name="swp1s8"),)), SERVICES)


def test_networks_have_tables_of_their_own() -> None:
    """Nothing leads from storage or compute to management."""
    tables = {network: {s.table for s in one(ROCE, network).segments} for network in (COMPUTE, STORAGE, IN_BAND)}

    assert tables == {COMPUTE: {"compute"}, STORAGE: {"storage"}, IN_BAND: {"management"}}
    assert one(ROCE, OUT_OF_BAND).segments == ()


def test_an_out_of_band_switch_is_managed_over_its_own_vlan_and_bundled_upward() -> None:
    """Nothing is plugged into its own management port."""
    switch = one(ROCE, OUT_OF_BAND)
    interfaces = nvue.document(switch, SERVICES)["interface"]

    assert "eth0" not in interfaces
    assert interfaces["vlan100"]["vrf"] == "mgmt"
    (bond,) = switch.bonds
    assert (bond.far, len(bond.members), bond.segment) == ("uplink", 2, None)
    above = one(ROCE, IN_BAND)
    (down,) = [each for each in above.bonds if each.far == switch.name]
    for name, ports in (("bond1", interfaces), (down.name, nvue.document(above, SERVICES)["interface"])):
        assert ports[name]["bridge"]["domain"] == {"br_default": {"access": 100}}, "a guard would cut switches off"


def test_a_pair_without_a_cable_between_it_is_named() -> None:
    """Two storage switches of a small site have no spine above them."""
    assert {"storage-leaf-001", "storage-leaf-002"} <= set(unjoined(switches("gb200-nvl72")))
    assert unjoined(switches(ROCE)) == []


def test_ports_and_switches_have_their_names_on_site() -> None:
    """The table that `fabric compare` takes; a port with a name of its own is not split."""
    names = [SiteNames("pod-001-leaf-01", "r1-leaf", ()), SiteNames("pod-*-leaf-*", "", ("swp{}",))]
    leaf = switches_of(design_of_preset("lab"), names)[0]

    assert (leaf.name, leaf.drawn, leaf.ports[0].name) == ("r1-leaf", "pod-001-leaf-01", "swp1")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([SiteNames("pod-001-leaf-01", "leaf", ()), SiteNames("pod-001-leaf-02", "leaf", ())], "are both leaf"),
        ([SiteNames("pod-001-leaf-01", "../leaf", ())], "no name of a switch"),
        ([SiteNames("pod-*-leaf-*", "", ("swp1", "swp1"))], "swp1 has the cables C000001 and C00000"),
    ],
)
def test_a_table_of_names_that_joins_two_into_one_is_refused(names: list[SiteNames], words: str) -> None:
    """One of them would have the configuration of both."""
    with pytest.raises(InputError, match=words):
        switches_of(design_of_preset("lab"), names)


def test_two_renderings_are_the_same_bytes() -> None:
    """What is under version control changes only where the design does."""
    again = switches_of(design_of_preset("lab"))

    assert [nvue.text(each, SERVICES) for each in again] == [nvue.text(each, SERVICES) for each in switches("lab")]


def shown(text: str) -> object:
    """Return a document as the switch shows it: with a header, numbers as text, and ports together."""
    (part,) = yaml.safe_load(text)
    interfaces = part["set"]["interface"]
    interfaces["swp1-2"] = {"type": interfaces["swp1"].pop("type")}
    del interfaces["swp2"]["type"]
    return [{"header": {"model": "x", "version": "Cumulus Linux 5.16"}}, part]


def test_a_setting_changed_by_hand_is_found_by_switch_and_path() -> None:
    """Changed, removed and added; accounts are nobody's drift."""
    leaf = switches("lab")[0]
    drawn = nvue.document(leaf, SERVICES)
    found = yaml.safe_load(nvue.text(leaf, SERVICES))

    assert differences(leaf.name, drawn, shown(nvue.text(leaf, SERVICES))) == []
    tree = found[0]["set"]
    tree["interface"]["swp1"]["link"]["mtu"] = "1500"
    del tree["interface"]["swp2"]["description"]
    tree["interface"]["swp7"] = {"bridge": {"domain": {"br_default": {"access": 999}}}}
    tree["system"]["aaa"] = {"user": {"cumulus": {"role": "system-admin"}}}
    port = leaf.ports[1]
    assert differences(leaf.name, drawn, found) == [
        Difference(leaf.name, "interface swp1 link mtu", "9216", "1500"),
        Difference(leaf.name, "interface swp2 description", f"{port.cable} {port.far}", ""),
        Difference(leaf.name, "interface swp7 bridge domain br_default access", "", "999"),
    ]


def test_names_that_share_an_entry_are_told_apart() -> None:
    """As NVUE writes them."""
    assert names_of("swp1-3,5") == ["swp1", "swp2", "swp3", "swp5"]
    assert names_of("swp1s0-1,swp2s1") == ["swp1s0", "swp1s1", "swp2s1"]
    assert names_of("10,20-21") == ["10", "20", "21"]
    assert names_of("br_default") == ["br_default"]
    with pytest.raises(ValueError, match="too many names"):
        names_of("swp1-9999")


@pytest.mark.parametrize("document", [[], {}, "text", [1], [{"header": {}}], [{"set": 3}]])
def test_what_is_no_configuration_is_refused(document: object) -> None:
    """An empty answer would be as drawn."""
    with pytest.raises(ValueError, match="no "):
        differences("leaf", {"system": {"hostname": "leaf"}}, document)
