"""Which host is which planned node: nobody guesses, nobody is lost, and the order of the inventory means nothing once it says anything."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from steps.design.design import design_of_preset
from steps.design.matching import Host, Key, Matching, PlannedNode, match
from steps.design.nodes import planned_nodes

NODES = [
    PlannedNode(f"pod-{n // 2 + 1:03}-n{n % 2 + 1:02}", f"pod-{n // 2 + 1:03}", f"10.0.0.{n}", f"S{n}")
    for n in range(6)
]


def by(matching: Matching) -> dict[str, tuple[str, tuple[Key, ...]]]:
    return {pair.node.name: (pair.host.name, pair.by) for pair in matching.pairs}


def names(ones: tuple[PlannedNode, ...] | tuple[Host, ...]) -> list[str]:
    return [one.name for one in ones]


def test_a_host_is_matched_by_name_by_serial_number_or_by_the_address_of_its_bmc() -> None:
    hosts = [
        Host("anything", serial=" s2 "),
        Host("POD-001-N02.example.org"),
        Host("other", bmc_address="10.0.0.0/20"),
        Host("pod-002-n02", "10.0.0.3", "S3"),
    ]

    matching = match(NODES, hosts)

    assert by(matching) == {
        "pod-001-n01": ("other", (Key.BMC_ADDRESS,)),
        "pod-001-n02": ("POD-001-N02.example.org", (Key.NAME,)),
        "pod-002-n01": ("anything", (Key.SERIAL,)),
        "pod-002-n02": ("pod-002-n02", (Key.NAME, Key.SERIAL, Key.BMC_ADDRESS)),
    }
    assert names(matching.nodes_left) == ["pod-003-n01", "pod-003-n02"]
    assert matching.hosts_of("pod-002") == ("anything", "pod-002-n02")
    assert matching.unmatched_of("pod-003") == ("pod-003-n01", "pod-003-n02")
    assert matching.unmatched_of("pod-002") == ()


def test_two_hosts_for_one_node_are_ambiguous_and_hold_up_nothing_else() -> None:
    hosts = [
        Host("pod-001-n01", source="a.yml"),
        Host("b", serial="S0", source="b.yml"),
        Host("c", serial="S1"),
        Host("d"),
    ]

    matching = match(NODES, hosts)

    (found,) = matching.ambiguous
    assert names(found.hosts) == ["pod-001-n01", "b"]
    assert [str(shared) for shared in found.because] == [
        "name pod-001-n01: node pod-001-n01, host pod-001-n01 (a.yml)",
        "serial number s0: node pod-001-n01, host b (b.yml)",
    ]
    assert by(matching) == {"pod-001-n02": ("c", (Key.SERIAL,))}
    assert names(matching.hosts_left) == ["d"]
    assert matching.unmatched_of("pod-001") == ("pod-001-n01",)


def test_a_host_that_is_one_node_by_name_and_another_by_its_bmc_is_neither() -> None:
    (found,) = match(NODES, [Host("pod-001-n01", bmc_address="10.0.0.1")]).ambiguous

    assert names(found.nodes) == ["pod-001-n01", "pod-001-n02"]


def test_hosts_that_share_a_serial_number_are_ambiguous_even_where_it_is_nobodys() -> None:
    matching = match(NODES, [Host("a", serial="X"), Host("b", serial="x"), Host("pod-001-n01")])

    assert [names(found.hosts) for found in matching.ambiguous] == [["a", "b"]]
    assert len(matching.pairs) == 1


def test_what_makers_leave_for_a_serial_number_brings_nobody_together() -> None:
    matching = match(
        NODES, [Host("pod-001-n01", serial="To Be Filled By O.E.M."), Host("b", serial="to be filled by o.e.m.")]
    )

    assert not matching.ambiguous


def test_another_serial_number_than_on_record_is_said_and_the_name_counts() -> None:
    (pair,) = match(NODES, [Host("pod-001-n01", serial="S9")]).pairs

    assert pair.other_serial
    assert not match(NODES, [Host("pod-001-n01", serial="s0")]).pairs[0].other_serial


def test_hosts_that_say_nothing_of_the_design_are_dealt_in_their_order() -> None:
    matching = match(NODES, [Host("b"), Host("a", "192.0.2.1", "X")])

    assert matching.in_order
    assert by(matching) == {"pod-001-n01": ("b", (Key.ORDER,)), "pod-001-n02": ("a", (Key.ORDER,))}
    assert len(matching.nodes_left) == 4
    assert matching.unmatched_of("pod-002") == ()


def test_planned_nodes_have_the_names_and_addresses_of_the_designs_own_tables() -> None:
    from steps.design.addressing import hosts
    from steps.design.dossier import dossier_of

    design = design_of_preset("h100-10k")
    dossier = dossier_of(design)
    assert dossier.cables

    nodes = planned_nodes(design, {"pod-001-n02": "S1"})

    table = hosts(dossier.addresses, dossier.cables.node_names)
    assert {n.name: n.bmc_address for n in nodes} == {
        node: address.partition("/")[0] for node, network, address in table if network == "out-of-band"
    }
    assert Counter(n.pod for n in nodes) == {u.id: u.values["nodes_in_pod"] for u in design.units if u.kind == "pod"}
    assert [n.serial for n in nodes[:3]] == [None, "S1", None]
    assert all(node.name.startswith(f"{node.pod}-") for node in nodes)


hosts = st.lists(
    st.builds(
        Host,
        st.sampled_from([*(node.name for node in NODES), *(f"h{n}" for n in range(6))]),
        st.none() | st.sampled_from([f"10.0.0.{n}" for n in range(8)]),
        st.none() | st.sampled_from([f"S{n}" for n in range(8)]),
    ),
    unique_by=lambda host: host.name,
    max_size=10,
)


@given(hosts)
def test_every_node_and_host_is_somewhere_and_nowhere_twice(hosts: list[Host]) -> None:
    matching = match(NODES, hosts)

    ambiguous = () if matching.in_order else matching.ambiguous
    nodes = [p.node for p in matching.pairs] + [*matching.nodes_left, *(n for a in ambiguous for n in a.nodes)]
    there = [p.host for p in matching.pairs] + [*matching.hosts_left, *(h for a in ambiguous for h in a.hosts)]
    assert sorted(nodes) == sorted(NODES)
    assert Counter(there) == Counter(hosts)
    pods = {node.pod for node in NODES}
    if not matching.in_order:
        assert sum(len(matching.hosts_of(p)) + len(matching.unmatched_of(p)) for p in pods) == len(NODES)


@given(hosts, st.randoms(use_true_random=False))
def test_the_order_of_the_inventory_changes_no_match(hosts: list[Host], random: Random) -> None:
    shuffled = list(hosts)
    random.shuffle(shuffled)

    one, other = match(NODES, hosts), match(NODES, shuffled)

    assert one.in_order == other.in_order
    if not one.in_order:
        assert by(one) == by(other)
        assert one.nodes_left == other.nodes_left
        assert {frozenset(a.hosts) for a in one.ambiguous} == {frozenset(a.hosts) for a in other.ambiguous}


@given(hosts)
def test_a_pair_agrees_on_what_it_was_matched_by_and_no_third_shares_it(hosts: list[Host]) -> None:
    matching = match(NODES, hosts)

    for pair in () if matching.in_order else matching.pairs:
        node, host = pair.node, pair.host
        agreed = {
            Key.NAME: node.name == host.name,
            Key.BMC_ADDRESS: node.bmc_address == host.bmc_address,
            Key.SERIAL: node.serial == host.serial,
        }
        assert pair.by
        assert set(pair.by) == {key for key, same in agreed.items() if same}
        for third in (other for other in hosts if other is not host):
            assert third.name != node.name
            assert third.serial not in {node.serial, host.serial} - {None}
            assert third.bmc_address not in {node.bmc_address, host.bmc_address} - {None}
