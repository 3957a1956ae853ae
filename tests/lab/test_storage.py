"""A parallel file system from bare hosts, on drives of its own: GlusterFS over three servers, its clients, limits, copies and series.

Then it is broken by its own tools: a server without power, a brick that is killed, a full folder, a damaged copy, an option set by hand.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from tests.lab import lifecycle, supervisor
from tests.lab.lifecycle import ssh_command
from tests.lab.playing import find, played
from tests.lab.reaching import ssh, until
from tests.lab.storage_site import DRIVE, DRIVE_BYTES, SERVERS, Site, storage_site

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

LIMIT_MB = 20
VARIABLES = {
    "storage_ports": {"eth1": {"address": "{{ storage_address }}/24", "mtu": 9000}},
    "storage_volume_projects": [{"name": "alpha", "limit": f"{LIMIT_MB}MB"}],
    "storage_backup_sample_mib": 16,
    "storage_benchmark_jobs": 1,
    "storage_benchmark_size": "32M",
    "storage_benchmark_seconds": 5,
}
STEPS = {
    "125": "storage/125_storage_network.yml",
    "127": "storage/127_configure_object_storage.yml",
    "128": "storage/128_set_up_file_system.yml",
    "130": "storage/130_mount_file_system.yml",
    "129": "storage/129_tune_file_system.yml",
    "138": "storage/138_backup.yml",
    "140": "storage/140_storage_monitoring.yml",
}
BUILDING = ("127", "128", "130", "129", "138")
"""The steps from bare hosts to copies, in their order."""
CLIENTS = re.compile(r'"stdout": "(\[\{\\"client\\".*?\}\])\\n"')
WRITER = """
import hashlib, os, time
end = time.time() + %d
with open("/root/sums", "w") as sums:
    for n in range(10**6):
        if time.time() > end:
            break
        piece = os.urandom(1 << 20)
        name = f"/shared/load/{n:06}"
        with open(name, "wb") as file:
            file.write(piece); file.flush(); os.fsync(file.fileno())
        sums.write(f"{hashlib.sha256(piece).hexdigest()}  {name}\\n"); sums.flush()
"""
UNHEALED = "gluster --mode=script volume heal shared info | sed -n 's/^Number of entries: //p' | sort -u"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield from storage_site("cwfs", "10.86.0.0/22", tmp_path_factory.mktemp("drives"), STEPS, VARIABLES)


@pytest.fixture(scope="module")
def built(site: Site) -> Site:
    """Return the site once the file system is made, mounted, tuned and copied. Before each step its playbook ran in check mode."""
    for step in BUILDING:
        site.play(step, "--check")
        site.play(step)
    return site


def test_a_drive_that_is_not_empty_is_refused(site: Site) -> None:
    ssh(site.lab, "storage-2", f"mkfs.ext4 -q {DRIVE} 2>/dev/null")

    said = site.fails("127")

    assert "/dev/vdb of storage-2 is not empty (LABEL=" in said or "/dev/vdb of storage-2 is not empty (UUID=" in said
    assert "TYPE=ext4" in ssh(site.lab, "storage-2", f"blkid -p -o export {DRIVE}")
    ssh(site.lab, "storage-2", f"wipefs -q -a {DRIVE}")


def test_from_bare_hosts_to_a_mount_that_all_share(built: Site) -> None:
    ssh(built.lab, "node-01", "mkdir -p /shared/first && head -c 8M /dev/urandom >/shared/first/file")

    sums = {ssh(built.lab, host, "sha256sum </shared/first/file") for host in ("mgmt", "node-01", "node-02")}

    assert len(sums) == 1
    found = built.measured("128")
    assert found["filesystem.capacity_pb"] == pytest.approx(3 * DRIVE_BYTES / 2 / 1e15, rel=0.05)
    assert built.measured("130")["mount.present"] is True
    for server in SERVERS:
        assert ssh(built.lab, server, "findmnt -n -o FSTYPE,SOURCE /srv/bricks/1").split() == ["xfs", DRIVE]


def test_throughput_is_measured_on_all_clients_at_once(built: Site) -> None:
    """What two cores and one disk do says nothing of the design's criterion; that it was measured does."""
    ways = [json.loads(json.loads(f'"{said}"')) for said in CLIENTS.findall(built.said["129"])]

    assert len(ways) >= 2, "writing and reading"
    for clients in ways:
        assert [client["client"] for client in clients] == ["node-01", "node-02"]
        assert all(client["rc"] == 0 and client["bw_bytes"] > 0 and client["before_bytes"] > 0 for client in clients)


def test_a_server_that_is_cut_off_stops_nobody_for_long(built: Site) -> None:
    found = built.measured("128")

    assert 5 < found["filesystem.failover_s"] < 120, "clients wait for it, and then go on"
    assert (found["filesystem.wrong_files"], found["filesystem.unhealed_entries"]) == (0, 0)
    assert "nft list table" not in ssh(built.lab, "storage-3", "nft list tables | grep cut_off || true")


def test_a_second_run_changes_nothing(built: Site) -> None:
    assert {step: built.play(step).changes for step in BUILDING} == dict.fromkeys(BUILDING, 0)


def test_a_server_loses_its_power_under_load_and_data_is_intact(built: Site) -> None:
    ssh(built.lab, "node-01", "mkdir -p /shared/load")
    writer = subprocess.Popen([*ssh_command(built.lab, "node-01"), f"python3 - <<'END'{WRITER % 60}END"])
    until(
        lambda: ssh(built.lab, "node-01", "wc -l </root/sums 2>/dev/null || echo 0"), lambda n: int(n) > 3, seconds=60
    )
    supervisor.switch(built.lab, "off", "storage-2")
    assert writer.wait(timeout=300) == 0
    supervisor.switch(built.lab, "on", "storage-2")
    lifecycle.wait_for_ssh(built.lab, "storage-2")

    healed = until(lambda: ssh(built.lab, "storage-1", UNHEALED).split(), lambda counts: counts == ["0"], seconds=300)

    assert healed == ["0"], "every file has all its copies again"
    sums = ssh(built.lab, "node-01", "cat /root/sums")
    assert len(sums.splitlines()) > 20
    checked = subprocess.run(
        [*ssh_command(built.lab, "node-02"), "sha256sum --check --quiet"],
        input=sums,
        text=True,
        capture_output=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
    assert ssh(built.lab, "storage-2", "findmnt -n -o FSTYPE /srv/bricks/1") == "xfs"


def test_a_full_folder_is_refused_more_and_others_are_not(built: Site) -> None:
    fill = "cd /shared/alpha; for n in $(seq 60); do head -c 1M /dev/zero >$n || exit 0; sync $n; sleep 0.1; done; echo never"

    said = ssh(built.lab, "node-01", f"{{ {fill}; }} 2>&1")

    assert "quota exceeded" in said.lower()
    assert "never" not in said
    ssh(built.lab, "node-01", "head -c 1M /dev/zero >/shared/first/more; rm -f /shared/alpha/*")


def test_a_node_starts_again_and_has_the_file_system(built: Site) -> None:
    supervisor.switch(built.lab, "off", "node-02")
    supervisor.switch(built.lab, "on", "node-02")
    lifecycle.wait_for_ssh(built.lab, "node-02")

    assert ssh(built.lab, "node-02", "sha256sum </shared/first/file") == ssh(
        built.lab, "node-01", "sha256sum </shared/first/file"
    )


def test_a_folder_that_only_looks_like_the_mount_is_found(built: Site) -> None:
    ssh(
        built.lab,
        "node-02",
        "systemctl disable -q --now shared.automount; umount /shared 2>/dev/null; mkdir -p /shared",
    )

    built.play("130", "--tags", "proof", "--limit", "node-02")

    assert built.measured("130")["mount.present"] is False
    built.play("130", "--tags", "mount")


def test_an_option_set_by_hand_is_set_back_and_one_that_is_refused_sets_none(built: Site) -> None:
    ssh(built.lab, "storage-1", "gluster --mode=script volume reset shared performance.read-ahead")
    assert built.play("129", "--tags", "options").changes == 1

    wrong = {"performance.read-ahead": "off", "performance.no-such-option": "on"}
    said = built.fails("129", "--tags", "options", "-e", json.dumps({"storage_tuning_options": wrong}))

    assert "GlusterFS refused an option" in said
    assert "performance.read-ahead: on" in ssh(built.lab, "storage-1", "gluster volume info shared")


@pytest.fixture(scope="module")
def watched(built: Site) -> Site:
    """Return the site once its metrics databases have the storage's series."""
    played(built.lab, find("166"))
    built.play("140")
    return built


def series(site: Site, query: str) -> dict[str, float]:
    """Return what the metrics database answers, by brick."""
    url = f"http://127.0.0.1:9090/api/v1/query?{urlencode({'query': query})}"
    ask = f"python3 -c 'import urllib.request; print(urllib.request.urlopen(\"{url}\").read().decode())'"
    rows = json.loads(ssh(site.lab, "mgmt", ask))["data"]["result"]
    return {row["metric"]["brick"]: float(row["value"][1]) for row in rows}


def test_every_brick_has_its_series_and_one_that_is_killed_is_seen(watched: Site) -> None:
    assert watched.measured("140")["storage.series_present_ratio"] == 1
    ssh(watched.lab, "storage-3", "kill -9 $(pgrep -of 'glusterfsd.*shared-data')")
    ssh(watched.lab, "storage-1", "systemctl start storage-series.service")

    down = until(
        lambda: [brick for brick, up in series(watched, "max by (brick) (gluster_brick_up)").items() if up == 0],
        bool,
        seconds=180,
    )

    assert [brick.rpartition(":")[2] for brick in down] == ["/srv/bricks/1/shared-data"]
    ssh(watched.lab, "storage-1", "gluster --mode=script volume start shared force")


def test_a_copy_is_restored_and_a_damaged_one_is_found(built: Site) -> None:
    before = built.measured("138")
    assert before["backup.restore_digest_match"] is True
    assert before["backup.restored_in_a_day_tb"] > 0
    ssh(
        built.lab,
        "mgmt",
        "for f in /srv/backup/shared/data/*/*; do dd if=/dev/zero of=$f bs=4k seek=1 count=64 conv=notrunc status=none; done",
    )

    built.play("138", "--tags", "proof")

    assert built.measured("138")["backup.restore_digest_match"] is False


def test_a_port_gets_its_address_and_a_wrong_one_is_taken_back(site: Site) -> None:
    address = str(site.lab.addresses.of(site.lab.topology.host("storage-3").number, plane=1))
    ssh(site.lab, "storage-3", "ip address flush dev eth1; ip link set eth1 mtu 1500")
    site.play("125", "--tags", "ports")
    port = "ip -o -4 address show dev eth1 | awk '{print $4}'; cat /sys/class/net/eth1/mtu"
    assert ssh(site.lab, "storage-3", port).split() == [f"{address}/24", "9000"]
    assert site.play("125", "--tags", "ports").changes == 0

    wrong = {"storage_ports": {"eth1": {"address": "10.99.0.3/24"}}}
    said = site.fails("125", "--tags", "ports", "--limit", "storage-3", "-e", json.dumps(wrong))

    assert "answered storage-3, and its files were restored" in said
    restored = until(lambda: ssh(site.lab, "storage-3", port).split(), lambda found: found[0][:4] != "10.9", seconds=30)
    assert restored == [f"{address}/24", "9000"]
    managed = site.fails(
        "125", "--limit", "storage-3", "-e", json.dumps({"storage_ports": {"eth0": {"address": "10.99.0.3/24"}}})
    )
    assert "is managed by eth0" in managed
