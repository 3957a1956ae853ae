"""Orders, bill of quantities, cable schedule, power and cost are five lists of one site: each line is in all that it concerns."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from math import ceil
from typing import NamedTuple

import pytest

from steps.design.bill import Line, priced, prices_of
from steps.design.design import Design, design_of_preset
from steps.design.dossier import Dossier, dossier_of
from steps.design.preset import preset_names
from steps.design.service_networks import OOB_UPLINKS
from steps.planning.network.expansion import expand
from tests.shipped import shipped_catalog

pytestmark = pytest.mark.xdist_group("five-lists")

PRESETS = preset_names()

BOUGHT = {
    "leaf switches": ("leaf-switch",),
    "spine switches": ("spine-switch",),
    "core switches": ("spine-switch",),
    "storage leaf switches": ("storage-switch",),
    "storage spine switches": ("storage-spine",),
    "in-band switches": ("in-band-switch",),
    "out-of-band switches": ("management-switch",),
    "fabric managers": ("fabric-manager",),
    "border routers": ("border-router",),
    "management servers": ("management-server",),
    "compute racks": ("compute-rack",),
    "network, storage and management racks": ("infrastructure-rack",),
    "rack PDUs": ("rack-pdu",),
    "rack PDUs of infrastructure racks": ("infrastructure-pdu",),
    "storage servers": ("storage-array",),
    "metadata servers": ("storage-array",),
    "blanking panels": ("blanking-panel",),
    "aisle containment": ("containment",),
    "rear-door heat exchangers": ("rear-door",),
    "coolant distribution units": ("cdu",),
    "rack manifolds": ("manifold",),
    "leak sensors with valve": ("leak-sensor",),
    "temperature sensors": ("sensor",),
    "room air handlers": ("air-handler",),
    "in-row coolers": ("in-row-cooler",),
    "chillers": ("chiller",),
    "cooling towers": ("heat-rejection",),
    "dry coolers": ("dry-cooler",),
    "water pumps": ("chilled-water-pump",),
}
"""The supply line that buys each line of the bill. A supply line may buy several."""

CABLES = {
    "node-leaf": "server-cable",
    "manager-leaf": "server-cable",
    "leaf-spine": "trunk-cable",
    "spine-core": "trunk-cable",
    "storage": "storage-cable",
    "storage-up": "storage-cable",
    "in-band": "management-cable",
    "in-band-up": "management-cable",
    "out-of-band": "management-cable",
    "out-of-band-up": "management-cable",
}

SPARE_PARTS = {
    "GPUs": "spare-parts",
    "power supplies": "spare-supply",
    "NVMe drives": "spare-drive",
    "storage drives": "spare-storage-drive",
    "NICs": "spare-nic",
    "memory modules": "spare-memory",
}

PARTS = {
    "GPUs": "gpu",
    "processors": "processor",
    "memory modules": "memory",
    "NICs": "nic",
    "NVMe drives": "nvme-drive",
}
"""The supply lines of a site that builds its servers from parts; their spares are bought with them where a shelf has none."""


IN_THE_BUILDING = {
    *("utility-service", "utility-feeder", "full-service", "full-feeders", "large-load-study", "service-study"),
    *("temporary-service", "gas-service", "gas-turbine", "generator", "small-generator", "diesel-fuel", "load-banks"),
    *("building-permit", "trade-permits", "site-plan-approval"),
    *("air-permit", "turbine-air-permit", "temporary-turbine-permit"),
    *("medium-voltage-intake", "medium-voltage-switchgear", "power-transformer", "distribution-transformer"),
    *("ups", "low-voltage-switchboards", "battery-container", "transfer-switch", "busway", "remote-power-panel"),
    *("air-handler", "in-row-cooler", "chiller", "heat-rejection", "dry-cooler", "chilled-water-pump"),
    *("factory-test-slot", "chiller-test-slot", "fire-suppression", "pathways"),
}
"""What has no price of its own: a price for each MW of building, power and cooling has it. A hall in service orders none of it."""


class Lists(NamedTuple):
    """A preset's dossier and what its plan orders, by supply line; `left_out` are the lines of steps decided away.

    What comes from stock or on hire counts under the line of what is made to order.
    """

    dossier: Dossier
    orders: dict[str, float]
    left_out: frozenset[str]

    @property
    def design(self) -> Design:
        return self.dossier.design


@cache
def lists_of(preset: str, facility: str = "") -> Lists:
    design = design_of_preset(preset, {"facility": facility} if facility else {})
    found = expand(shipped_catalog(), design, 8.0)
    orders: dict[str, float] = defaultdict(float)
    for order in found.orders.values():
        orders[order.supply.item.removesuffix("-stock").removesuffix("-hire")] += order.quantity
    steps = [entry.step for entry in shipped_catalog().values()]
    left_out = {
        supply.item
        for step in steps
        for supply in step.supplies
        if any(decision.covers(step.id, step.phase, step.kind) for decision in design.decisions)
    }
    return Lists(dossier_of(design), dict(orders), frozenset(left_out))


def lines(preset: str, *items: str) -> list[Line]:
    return [line for line in lists_of(preset).dossier.bill if line.item in items]


def all_of(found: list[Line]) -> float:
    return sum(line.site + line.spare for line in found)


def rows(preset: str) -> list[tuple[str | int | float, ...]]:
    """The cable schedule of every network."""
    dossier = lists_of(preset).dossier
    if dossier.cables is None or dossier.service_cables is None:
        return []
    return [*dossier.cables.rows(), *dossier.service_cables.rows()]


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_bought_is_the_bill_with_its_spares(preset: str) -> None:
    orders, left_out = lists_of(preset).orders, lists_of(preset).left_out
    wanted: dict[str, float] = defaultdict(float)
    for item, supplies in BOUGHT.items():
        for supply in supplies:
            wanted[supply] += all_of(lines(preset, item))

    differ = {
        supply: (orders.get(supply, 0), count)
        for supply, count in wanted.items()
        if supply not in left_out and orders.get(supply, 0) != count
    }
    assert differ == {}


@pytest.mark.parametrize("facility", ["", "existing", "shell", "greenfield"])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_order_has_its_line_of_the_bill_with_a_price_and_every_line_its_order(preset: str, facility: str) -> None:
    """Rear doors, distribution units, containment, panels and carrier circuits were ordered, and no bill had them."""
    found = lists_of(preset, facility)
    billed: dict[str, float] = defaultdict(float)
    for line in found.dossier.bill:
        if line.supply:
            billed[line.supply.removesuffix("-stock")] += line.site + line.spare

    unbilled = found.orders.keys() - billed.keys()
    assert unbilled <= IN_THE_BUILDING
    assert not unbilled or found.dossier.economics.capex_by_category["building, power and cooling"] > 0
    differ = {name: (found.orders.get(name, 0), count) for name, count in billed.items() if name not in found.left_out}
    assert {name: pair for name, pair in differ.items() if pair[0] != pair[1]} == {}
    free = {line.supply for line in found.dossier.bill if line.supply and not line.each_usd and line.site + line.spare}
    assert not free - found.left_out


@pytest.mark.parametrize("preset", PRESETS)
def test_freight_duty_tax_and_cost_contingency_are_lines_of_their_own(preset: str) -> None:
    figures = {"freight_share": 0.02, "import_duty_share": 0.03, "sales_tax_share": 0.08, "cost_contingency_share": 0.2}
    dossier = dossier_of(design_of_preset(preset, figures))
    money, lines = dossier.economics, {line.item: line.usd for line in dossier.bill if line.section == "charges"}
    equipment = sum(line.usd for line in dossier.bill if line.section != "charges")

    assert money.capex_by_category["freight and insurance"] == pytest.approx(equipment * 0.02)
    assert money.capex_by_category["import duty"] == pytest.approx(equipment * 0.03)
    assert money.capex_by_category["sales tax"] == pytest.approx(equipment * 0.08)
    assert money.cost_contingency == pytest.approx(money.capex * 0.2)
    assert money.budget == pytest.approx(sum(money.capex_by_category.values()) + money.cost_contingency)
    assert sum(lines.values()) == pytest.approx(equipment * 0.13 + money.cost_contingency)


def test_no_tax_and_no_duty_are_charged_unless_a_site_says_so() -> None:
    money = lists_of("superpod-1su").dossier.economics

    assert money.capex_by_category["import duty"] == money.capex_by_category["sales tax"] == 0
    assert money.capex_by_category["freight and insurance"] > 0
    assert money.cost_contingency == pytest.approx(money.capex / 10)


@pytest.mark.parametrize("preset", PRESETS)
def test_servers_are_ordered_whole_or_in_parts(preset: str) -> None:
    found = lists_of(preset)
    if {"gpu-server", "chassis"} <= found.left_out:
        pytest.skip("the servers exist")
    (servers,) = lines(preset, "GPU servers")

    if found.design.choices["build"] == "oem":
        assert found.orders["gpu-server"] == servers.site + servers.spare == found.design.figures["nodes"]
        return
    assert found.orders["chassis"] == found.orders["motherboard"] == servers.site
    for item, supply in PARTS.items():
        shelf = found.orders.get(SPARE_PARTS.get(item, ""), 0)
        assert found.orders[supply] + shelf == all_of(lines(preset, item)), item


@pytest.mark.parametrize("preset", PRESETS)
def test_spare_parts_are_ordered_as_the_bill_counts_them(preset: str) -> None:
    found = lists_of(preset)
    from_parts = {"NICs", "memory modules"} if found.design.choices["build"] == "white-box" else set()
    in_bill = {line.item: line.spare for line in found.dossier.bill if line.section == "spare parts"}

    ordered = {item: found.orders.get(supply, 0) for item, supply in SPARE_PARTS.items() if item not in from_parts}

    if not {*SPARE_PARTS.values()} <= found.left_out:
        assert ordered == {item: in_bill.get(item, 0) for item in ordered}


@pytest.mark.parametrize("preset", PRESETS)
def test_hot_spares_are_servers_of_the_site_that_are_bought_powered_and_paid(preset: str) -> None:
    dossier = lists_of(preset).dossier
    hot = lines(preset, "of these, hot spares")

    expected = dossier.reliability.hot_spares if dossier.reliability else 0
    assert sum(line.site for line in hot) == expected <= dossier.design.figures["nodes"]
    assert sum(line.usd + line.each_kw for line in hot) == 0  # the servers' own line has their price and power


@pytest.mark.parametrize("preset", PRESETS)
def test_cables_of_every_network_are_in_the_schedule_the_bill_and_the_orders(preset: str) -> None:
    found = lists_of(preset)
    drawn = Counter(f"cable {row[1]}, {row[11]}, {row[10]} m" for row in rows(preset))
    billed = {line.item: line.site for line in found.dossier.bill if line.item.startswith("cable ")}
    in_orders: dict[str, float] = defaultdict(float)
    for line in found.dossier.bill:
        if line.item.startswith("cable "):
            in_orders[CABLES[line.item.split()[1].rstrip(",")]] += line.site + line.spare

    assert billed == drawn
    assert all(
        found.orders.get(supply, 0) == count for supply, count in in_orders.items() if supply not in found.left_out
    )
    if drawn and "server-cable" not in found.left_out:
        assert in_orders.keys() >= {"server-cable", "storage-cable", "management-cable"}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_cable_that_is_counted_is_drawn(preset: str) -> None:
    dossier = lists_of(preset).dossier
    if dossier.service_cables is None:
        pytest.skip("no fabric to draw")
    services, fabric = dossier.design.counted.services, dossier.design.counted.fabric
    drawn = Counter(str(row[1]) for row in rows(preset))

    counted = {"node-leaf": fabric.node_leaf_links, "leaf-spine": fabric.leaf_spine_links}
    counted["spine-core"] = fabric.spine_core_links
    for network in (services.storage, services.in_band, services.out_of_band):
        if network.switches:
            counted[network.name] = sum(network.pod_cables) + network.site_cables
            counted[f"{network.name}-up"] = network.uplink_cables

    assert drawn == Counter({tier: count for tier, count in counted.items() if count})


def cages(preset: str, end: str) -> int:
    """Count the transceivers of servers, or of switches, cable by cable. A cage counts once."""
    f = lists_of(preset).design.figures
    found = set()
    for _, tier, _, a, a_port, _, b, b_port, _, _, _, kind, _ in rows(preset):
        if kind not in ("multimode", "single-mode"):
            continue
        in_cage = f["ports_per_cage"] if not str(tier).startswith(("in-band", "out-of-band")) else 1
        from_server = tier in ("node-leaf", "manager-leaf", "storage", "in-band", "out-of-band")
        a_cage = (f["node_ports_per_cage"] if tier == "node-leaf" else 1) if from_server else in_cage
        if from_server == (end == "server"):
            # the rails of a server fill cages of their own, whatever else is plugged into it
            found.add((a, kind, tier == "node-leaf", (int(a_port) - 1) // a_cage))
        if end == "switch":
            found.add((b, kind, False, (int(b_port) - 1) // in_cage))
    return len(found)


@pytest.mark.parametrize("end", ["server", "switch"])
@pytest.mark.parametrize("preset", PRESETS)
def test_transceivers_fill_the_cages_at_the_ends_of_optical_cables(preset: str, end: str) -> None:
    found = lists_of(preset)
    billed = [line for line in found.dossier.bill if f"{end} transceivers" in line.item]

    assert sum(line.site for line in billed) == cages(preset, end)
    if f"{end}-transceiver" not in found.left_out:
        assert found.orders.get(f"{end}-transceiver", 0) == all_of(billed)


def test_a_dgx_h100_has_four_cages_for_eight_links() -> None:
    """1,250 servers of four cages, less the 632 whose two links are copper inside a rack."""
    (line,) = lines("h100-10k", "server transceivers, multimode")

    assert line.site == 1250 * 4 - 1264 / 2 == 4368


@pytest.mark.parametrize("preset", PRESETS)
def test_switches_of_the_schedule_are_those_of_the_bill(preset: str) -> None:
    joined = {str(row[at]) for row in rows(preset) for at in (3, 6)}
    tiers = {
        "storage leaf switches": [n for n in joined if n.startswith("pod-") and "-storage-" in n],
        "storage spine switches": [
            n for n in joined if n.startswith(("storage-leaf", "storage-spine", "storage-core"))
        ],
        "in-band switches": [n for n in joined if "in-band" in n],
        "out-of-band switches": [n for n in joined if "out-of-band" in n],
        "leaf switches": [n for n in joined if n.startswith("pod-") and "-leaf-" in n],
        "spine switches": [n for n in joined if n.startswith("spine-")],
        "core switches": [n for n in joined if n.startswith("core-")],
    }
    if joined:
        assert {item: len(names) for item, names in tiers.items()} == {
            item: sum(line.site for line in lines(preset, item)) for item in tiers
        }


@pytest.mark.parametrize("preset", PRESETS)
def test_no_port_of_any_network_is_used_twice_and_no_switch_has_more_than_it_has(preset: str) -> None:
    f = lists_of(preset).design.figures
    ends: Counter[tuple[str, str]] = Counter()
    highest: dict[str, int] = defaultdict(int)
    for _, _, _, a, a_port, _, b, b_port, *_ in rows(preset):
        ends[str(a), str(a_port)] += 1
        ends[str(b), str(b_port)] += 1
        highest[str(b)] = max(highest[str(b)], int(b_port))
    limits = {
        "-storage-": f["storage_radix"],
        "-in-band-": f["in_band_radix"],
        "-out-of-band-": f["out_of_band_radix"] + OOB_UPLINKS,
    }

    over = [
        name for name, port in highest.items() for kind, most in limits.items() if kind in f"-{name}" and port > most
    ]
    assert [end for end, count in ends.items() if count > 1] == []
    assert over == []


@pytest.mark.parametrize("preset", PRESETS)
def test_a_device_is_in_one_rack_and_no_rack_of_servers_is_one_of_spines_or_storage(preset: str) -> None:
    racks: dict[str, set[str]] = defaultdict(set)
    for row in rows(preset):
        racks[str(row[3])].add(str(row[5]))
        racks[str(row[6])].add(str(row[8]))
    of_pods, others = (
        {rack for name in racks if name.startswith("pod-") == is_pods for rack in racks[name]}
        for is_pods in (True, False)
    )

    assert {name: found for name, found in racks.items() if len(found) > 1} == {}
    assert of_pods & others == set()


@pytest.mark.parametrize("preset", PRESETS)
def test_no_cable_goes_back_to_its_own_device(preset: str) -> None:
    assert [row for row in rows(preset) if row[3] == row[6]] == []


@pytest.mark.parametrize("preset", PRESETS)
def test_power_is_the_bill_times_the_power_of_each(preset: str) -> None:
    found = lists_of(preset)
    power = found.design.counted.power
    kw: dict[str, float] = defaultdict(float)
    for line in found.dossier.bill:
        kw[line.section] += line.site * line.each_kw
    if found.design.figures["nodes"] == 1:
        assert sum(kw.values()) == pytest.approx(power.it_mw * 1000)
        return
    management = sum(line.site * line.each_kw for line in lines(preset, "management servers"))

    assert sum(kw.values()) == pytest.approx(power.it_mw * 1000)
    assert kw["storage"] == pytest.approx(power.storage_mw * 1000)
    assert management == pytest.approx(power.management_mw * 1000)
    assert kw["servers"] - management + kw["fabric"] + kw["storage network"] + kw[
        "management network"
    ] == pytest.approx((power.compute_mw + power.fabric_mw) * 1000)


@pytest.mark.parametrize("preset", PRESETS)
def test_leaf_switches_are_in_the_power_of_their_rack(preset: str) -> None:
    f, power = lists_of(preset).design.figures, lists_of(preset).design.counted.power
    racks: dict[str, set[str]] = defaultdict(set)
    for row in rows(preset):
        if row[1] == "node-leaf":
            racks[str(row[8])].add(str(row[6]))
    servers: dict[str, set[str]] = defaultdict(set)
    for row in rows(preset):
        if row[1] == "node-leaf":
            servers[str(row[5])].add(str(row[3]))
    full = [
        len(servers[rack]) * f["node_kw"] + len(leaves) * f["switch_kw"]
        for rack, leaves in racks.items()
        if len(leaves) <= f["pod_switches_per_rack"]
    ]

    assert power.rack_kw >= max(full, default=0) - 1e-9
    if full and f["nodes"] >= f["nodes_per_rack"] * 8:
        assert power.rack_kw > f["node_kw"] * f["nodes_per_rack"]


@pytest.mark.parametrize("preset", PRESETS)
def test_each_feed_of_a_rack_has_a_pdu(preset: str) -> None:
    design = lists_of(preset).design
    pdus = sum(line.site for line in lines(preset, "rack PDUs"))

    assert pdus == float(design.site.values["racks"]) * design.figures["rack_feeds"]


def test_a_dgx_h100_has_three_feeds() -> None:
    assert lists_of("superpod-4su").orders["rack-pdu"] == 32 * 3  # NVIDIA RA-11333-001, table 7: 96


@pytest.mark.parametrize("preset", PRESETS)
def test_cost_is_what_is_ordered_times_its_price(preset: str) -> None:
    found = lists_of(preset)
    f, orders, cost = found.design.figures, found.orders, found.dossier.economics.capex_by_category
    if "server-cable" in found.left_out:
        pytest.skip("nothing is bought for a fabric")
    compute = orders["leaf-switch"] + orders.get("spine-switch", 0)
    storage = orders.get("storage-switch", 0) + orders["storage-spine"]

    assert cost["servers"] == pytest.approx(f["nodes"] * f["node_usd"])
    assert cost["management servers"] == pytest.approx(orders["management-server"] * f["management_server_usd"])
    assert cost["switches"] == pytest.approx(
        compute * f["switch_usd"]
        + storage * f["storage_switch_usd"]
        + orders["in-band-switch"] * f["in_band_switch_usd"]
        + orders["management-switch"] * f["out_of_band_switch_usd"]
        + orders["fabric-manager"] * f["fabric_manager_usd"]
        + orders["border-router"] * f["border_router_usd"]
    )
    racks = orders.get("compute-rack", 0) + orders["infrastructure-rack"]
    pdus = orders["rack-pdu"] + orders["infrastructure-pdu"]
    assert cost["racks"] == pytest.approx(racks * f["rack_usd"] + pdus * f["pdu_usd"])
    assert cost["storage"] == pytest.approx(
        found.design.counted.storage.capacity_pb * f["storage_usd_pb"]
        + lines(preset, "metadata servers")[0].site * f["metadata_server_usd"]
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_the_cost_of_cables_and_optics_is_that_of_the_schedule_and_its_spares(preset: str) -> None:
    found = lists_of(preset)
    f = found.design.figures
    prices = {"active optical": "active_optical_usd", "copper patch": "patch_usd"}
    cables = sum(f[prices.get(str(row[11]), "cable_usd")] for row in rows(preset))
    optics = [line for line in found.dossier.bill if "transceivers" in line.item]
    each = cables + sum(line.site * line.each_usd for line in optics)

    cost = found.dossier.economics.capex_by_category.get("cables and optics", 0.0)

    assert each <= cost <= each * (1 + f["cable_spares"]) + 12 * f["optics_usd"] + 1e-6
    assert all(line.each_usd == 0 or line.each_usd >= f["optics_usd"] for line in optics)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_power_equipment_that_is_ordered_is_on_the_bill(preset: str) -> None:
    """Whatever the topology of the supply: the number of each item on the bill is ordered, as far as a step buys it."""
    found = lists_of(preset)
    orders: Counter[str] = Counter()
    for item, count in found.orders.items():
        orders[item] += round(count)
    supplies = {
        "battery-container": "battery containers",
        "gas-turbine": "gas turbines",
        "ups": "UPS modules",
        "generator": "generator sets",
        "transfer-switch": "transfer switches",
        "remote-power-panel": "remote power panels",
        "busway": "busway",
        "distribution-transformer": "distribution transformers",
        "power-transformer": "power transformers",
    }
    for supply, item in supplies.items():
        if orders[supply]:
            assert orders[supply] == ceil(all_of(lines(preset, item))), supply
        else:
            assert supply in found.left_out or all_of(lines(preset, item)) == 0, supply


@pytest.mark.parametrize("preset", PRESETS)
def test_each_price_of_the_bill_is_that_of_the_order_that_buys_it(preset: str) -> None:
    """Orders of what has a price add up to the cost of the equipment, those of a server that is built here to its price."""
    found = lists_of(preset)
    built_here = found.design.choices["build"] == "white-box"
    parts_usd = found.design.figures["nodes"] * found.design.figures["node_usd"] if built_here else 0.0
    bill = tuple(line for line in found.dossier.bill if line.section != "charges")
    prices = prices_of(bill)

    assert {name.removesuffix("-stock") for name in prices} - found.left_out <= found.orders.keys()
    assert prices.get("gpu", 0.0) == pytest.approx(parts_usd * found.design.figures["gpu_price_share"])
    assert not [line for line in bill if line.cost and not line.supply]
    assert sum(prices.values()) == pytest.approx(sum(priced(bill).values()))
    for line in bill:
        if line.item in BOUGHT and line.supply:
            assert line.supply.removesuffix("-stock") in BOUGHT[line.item]
