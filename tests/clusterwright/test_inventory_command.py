"""`clusterwright inventory`: which host is which planned node, and what is wrong, with the exit codes of the house."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from clusterwright.commands.plan.inventory import _reopening
from clusterwright.matching import READ_SERIAL, measured_on_servers, serials_on_record
from clusterwright.plan_diff import Change, plan_diff
from clusterwright.planning import plan_of
from ledger.account import machine_account
from ledger.entries import ItemResult, RunOutcome
from ledger.project_time import project_now
from ledger.questions.activities import hosts_of
from ledger.reading import open_snapshot
from ledger.subjects.checklists.decisions import check
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import settle
from ledger.subjects.runs.payloads import RunSettled
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, reopen, start
from ledger.writing import Ledger
from steps.acceptance.measured import Measured
from steps.design.matching import Host, Matching, Pair, PlannedNode
from steps.planning.plan import Plan
from tests.clusterwright.test_bad_input import BAD_INPUT, NOT_SATISFIED, UNREACHABLE, edit
from tests.conftest import Command
from tests.flows.netbox_server import TOKEN, running_netbox
from tests.ledger.checklists import HOSTS, NAME, good, plan_with_items
from tests.ledger.conftest import Clock, activity, begun, criterion, small_plan
from tests.ledger.journey import take
from tests.pasted import as_a_shell_reads

Write = Callable[[str], None]


@pytest.fixture
def inventory(site: Path) -> Write:
    """Return what writes the inventory of a site of three nodes."""
    edit(site, "preset: superpod-1su", "preset: lab")
    edit(site, "# inventory: inventory/hosts.yml", "inventory: hosts.ini")

    def write(text: str) -> None:
        (site / "hosts.ini").write_text(text, encoding="utf-8")

    return write


def test_a_server_that_takes_the_place_of_another_is_a_change_of_the_plan(site: Path, inventory: Write) -> None:
    """Until that is adopted, releases name the one that is gone, and no run touches the new one."""
    inventory("pod-001-n01\npod-001-n02\npod-001-n03\n[logins]\nlogin\n")
    before = plan_of(site)
    inventory("pod-001-n01\npod-001-n02\npod-001-n03.example.org\n[logins]\nlogin-b\n")

    found = plan_diff(before, plan_of(site))

    assert found == [
        Change("hosts", "pod-001", "pod-001-n03", "pod-001-n03.example.org"),
        Change("hosts", "site", "login", "login-b"),
    ]


def test_every_node_with_its_host_is_what_is_wanted(site: Path, inventory: Write, command: Command) -> None:
    inventory("pod-001-n03\na bmc_address=10.0.0.16\npod-001-n02.example.org bmc_address=10.0.0.17\n[logins]\nlogin\n")

    done = command("inventory", "--site", site, "--json")

    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [(pair["node"], pair["host"], pair["by"]) for pair in said["pairs"]] == [
        ("pod-001-n01", "a", ["BMC address"]),
        ("pod-001-n02", "pod-001-n02.example.org", ["name", "BMC address"]),
        ("pod-001-n03", "pod-001-n03", ["name"]),
    ]
    assert (said["in_order"], said["nodes_without_host"], said["hosts_without_node"]) == (False, [], [])


def test_what_does_not_match_is_listed_on_both_sides(site: Path, inventory: Write, command: Command) -> None:
    inventory("pod-001-n01\npod-009-n01 serial_number=C77\n")

    done = command("inventory", "--site", site)

    assert done.returncode == NOT_SATISFIED
    assert "1 node has a host: 1 by name" in done.stderr
    assert "not matched: planned nodes without host 2, hosts without planned node 1" in done.stderr
    assert "what is no node is in one of the groups management, logins," in done.stderr, "as a head node of DeepOps"
    assert "pod-001-n03" in done.stdout
    assert "C77" in done.stdout


def test_an_inventory_that_says_nothing_of_the_design_is_dealt_in_its_order(
    site: Path, inventory: Write, command: Command
) -> None:
    inventory("c\nb\na\n")

    done = command("inventory", "--site", site)

    assert done.returncode == 0, done.stderr
    assert "dealt in order of the inventory" in done.stderr


def test_two_hosts_of_one_serial_number_are_named_with_their_file(
    site: Path, inventory: Write, command: Command
) -> None:
    inventory("pod-001-n01 serial_number=C7\npod-001-n02\npod-001-n03 serial_number=c7\n")

    done = command("inventory", "--site", site)

    assert done.returncode == BAD_INPUT
    assert f"serial number c7: host pod-001-n01 ({site / 'hosts.ini'}), host pod-001-n03 (" in done.stderr
    assert "pod-001-n02" in done.stdout


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("{netbox: {ulr: https://netbox.example.org, site: oslo}}", ["unknown key 'ulr'", "did you mean url"]),
        ("{netbox: {url: http://netbox.example.org, site: oslo}}", ["inventory.netbox.url", "https"]),
        ("{netbox: {url: https://netbox.example.org}}", ["key 'site' is missing"]),
        ("{netbox: {url: https://netbox.example.org, site: oslo, token: x}}", ["unknown key 'token'"]),
        ("{netbox: {url: https://netbox.example.org, site: oslo}, file: a}", ["either a file or folder, or `netbox`"]),
        ("{}", ["either a file or folder, or `netbox`"]),
        ("{netbox: {url: https://netbox.example.org, site: oslo}}", ["the environment has no NETBOX_TOKEN"]),
        ("{file: gone.ini}", ["'gone.ini' does not exist"]),
    ],
)
def test_a_faulty_source_is_refused_with_its_key(site: Path, command: Command, written: str, words: list[str]) -> None:
    edit(site, "# inventory: inventory/hosts.yml", f"inventory: {written}")

    done = command("inventory", "--site", site, env={"NETBOX_TOKEN": ""})

    assert done.returncode == BAD_INPUT
    assert "Traceback" not in done.stderr
    for word in ["site.yaml", *words]:
        assert word in done.stderr


def test_without_an_inventory_it_says_so(site: Path, command: Command) -> None:
    done = command("inventory", "--site", site)

    assert done.returncode == BAD_INPUT
    assert "this site has no inventory" in done.stderr


def test_hosts_come_from_netbox(site: Path, command: Command) -> None:
    edit(site, "preset: superpod-1su", "preset: lab")
    with running_netbox() as netbox:
        edit(site, "# inventory: inventory/hosts.yml", f"inventory: {{netbox: {{url: '{netbox.url}', site: oslo}}}}")
        for number in (3, 1, 2):
            netbox.add(f"gpu-{number}", oob_ip=f"10.0.0.{15 + number}/20")
        assert command("allow", "--yes", "--site", site).returncode == 0
        done = command("inventory", "--site", site, "--json", env={"NETBOX_TOKEN": TOKEN})
        refused = command("inventory", "--site", site, env={"NETBOX_TOKEN": "wrong"})
    away = command("inventory", "--site", site, env={"NETBOX_TOKEN": TOKEN})

    assert done.returncode == 0, done.stderr
    assert [pair["host"] for pair in json.loads(done.stdout)["pairs"]] == ["gpu-1", "gpu-2", "gpu-3"]
    assert (refused.returncode, away.returncode) == (UNREACHABLE, UNREACHABLE)
    assert "does not accept the token in NETBOX_TOKEN" in refused.stderr
    assert "does not answer" in away.stderr


def test_without_pynetbox_it_says_what_to_install(site: Path, command: Command) -> None:
    edit(site, "# inventory: inventory/hosts.yml", "inventory: {netbox: {url: 'https://127.0.0.1:1', site: oslo}}")
    assert command("allow", "--yes", "--site", site).returncode == 0
    code = (
        "import sys; sys.modules['pynetbox'] = None\n"
        f"sys.argv = ['clusterwright', 'inventory', '--site', {str(site)!r}]\n"
        "from clusterwright.__main__ import main; main()"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"NETBOX_TOKEN": "t", "PATH": "/usr/bin", "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == UNREACHABLE
    assert "pip install 'clusterwright[netbox]'" in done.stderr


def test_a_position_has_the_serial_number_that_was_last_recorded_there(tmp_path: Path) -> None:
    plan = plan_with_items(of="servers", hosts=HOSTS)
    again = replace(next(a for a in plan.activities if a.id == NAME), id="003@site", step="003")
    both = plan.model_copy(update={"activities": (*plan.activities, again)})
    assert serials_on_record(tmp_path) == {}
    with begun(tmp_path, Clock()) as ledger:
        adopt_plan(ledger, "pm", both, reason="first plan")
        for activity, serial in (("003@site", "C1"), (NAME, "C9")):
            start(ledger, "tech", activity)
            check(ledger, "tech", activity, [good("pod-001-n01", serial=serial), good("pod-001-n02")])

    assert serials_on_record(tmp_path) == {"pod-001-n01": "C9"}


def read_by_008(plan: Plan, unit: str) -> Plan:
    """Return a plan in which software also reads the serial number of each server of a unit."""
    read = criterion(READ_SERIAL, "==", value=True, unit="bool") | {"each": "host"}
    given = {"kind": "verify", "effect": "read", "playbook": "008.yml", "items": 3, "items_of": "servers", "leads": ()}
    hardware = activity(f"008@{unit}", criteria=[read], policy={"needed": "by-hand"}, **given)
    document = plan.model_dump()
    units = [unit | {"hosts": HOSTS} for unit in document["units"]]
    people = [person | {"account": machine_account()} for person in document["people"]]
    return Plan.model_validate(
        document | {"activities": [*document["activities"], hardware], "units": units, "people": people}
    )


def read_hardware(ledger: Ledger, name: str, serials: dict[str, str]) -> None:
    """Let a run read the serial number of each server, which is the one that the inventory states."""
    take(ledger, name)
    results = tuple(ItemResult(host, "ok") for host in serials)
    found = tuple(Measured(READ_SERIAL, True, "bool", host, "redfish", note) for host, note in serials.items())
    event = settle(ledger, "engine-1", name, RunOutcome("ok", results, found, playbook_digest="d"))
    assert isinstance(event.payload, RunSettled)
    assert event.payload.result == "done"


def test_a_serial_number_that_the_controller_reports_is_on_record_until_another_one_is(tmp_path: Path) -> None:
    """So a replaced server has its number on record when its hardware was read again. What was kept of the others says nothing new."""
    plan = read_by_008(plan_with_items(of="servers", hosts=HOSTS), "site")
    with begun(tmp_path, Clock()) as ledger:
        adopt_plan(ledger, "pm", plan, reason="first plan")
        start(ledger, "tech", NAME)
        check(ledger, "tech", NAME, [good(host, serial=f"S{number}") for number, host in enumerate(HOSTS)])
        read_hardware(ledger, "008@site", dict(zip(HOSTS, ("S0", "S1", "S2"), strict=True)))
        check(ledger, "tech", NAME, [good(HOSTS[2], serial="S9")])
        reopen(ledger, "lead", "008@site", "RMA 4711", hosts=(HOSTS[1],))
        read_hardware(ledger, "008@site", {HOSTS[1]: "S7"})

    assert serials_on_record(tmp_path) == dict(zip(HOSTS, ("S0", "S7", "S9"), strict=True))


def test_a_replaced_server_is_named_with_the_command_that_measures_it_alone_until_it_was(
    site: Path, inventory: Write, command: Command
) -> None:
    """The whole way of a node that comes back with another server in its place."""
    inventory("pod-001-n01\npod-001-n02 serial_number=S7\npod-001-n03\n")
    plan = read_by_008(small_plan(), "pod-001")
    with begun(site, project_now) as ledger:
        adopt_plan(ledger, "pm", plan, reason="first plan")
        read_hardware(ledger, "008@pod-001", dict(zip(HOSTS, ("S0", "S1", "S2"), strict=True)))

    replaced = command("inventory", "--site", site)

    assert replaced.returncode == NOT_SATISFIED
    again = ["reopen", "008@pod-001", "--host", "pod-001-n02", "--reason"]
    assert f"`clusterwright {' '.join(again)} 'RMA NUMBER'`" in replaced.stderr
    opened = command(*again, "RMA 4711: board replaced", "--as", "lead", "--site", site)
    assert opened.returncode == 0, opened.stderr
    with Ledger.open(site, clock=project_now) as ledger:
        with open_snapshot(site) as snapshot:
            assert hosts_of(snapshot, "008@pod-001", "d") == ("pod-001-n02",)
        read_hardware(ledger, "008@pod-001", {"pod-001-n02": "S7"})
    assert command("inventory", "--site", site).returncode == 0


def test_a_hosts_name_in_a_command_to_paste_is_one_word_of_it() -> None:
    """An inventory may come from somebody else, and a name in it may be a line of shell."""
    node, host = PlannedNode("n1", "pod-001", serial="S1"), Host("n1;id$(id)", serial="S7")

    command = _reopening(Matching((Pair(node, host, ()),), (), (), (), in_order=True), "pod-001", ["008@pod-001"])

    assert as_a_shell_reads(command.strip("`"))[-4:] == ["--host", host.name, "--reason", "RMA NUMBER"]


def test_work_that_measured_each_server_is_named_until_it_is_open_again(tmp_path: Path) -> None:
    """A server that is put in the place of another has none of its results."""
    criteria = [criterion("bond", "<=", Decimal("0.1"), "ohm") | {"each": "host"}]
    plan = plan_with_items(of="servers", hosts=HOSTS, criteria=criteria)
    with begun(tmp_path, Clock()) as ledger:
        adopt_plan(ledger, "pm", plan, reason="first plan")
        start(ledger, "tech", NAME)
        assert measured_on_servers(tmp_path, {"site"}) == {"site": []}
        check(ledger, "tech", NAME, [good(host) for host in HOSTS])
        finish(ledger, "tech", NAME)
        sign(ledger, "lead", NAME)

        assert measured_on_servers(tmp_path, {"site", "pod-001"}) == {"pod-001": [], "site": [NAME]}

        reopen(ledger, "lead", NAME, "a board was replaced")
    assert measured_on_servers(tmp_path, {"site"}) == {"site": []}
