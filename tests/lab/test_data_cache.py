"""Data sets that nodes read through a cache on their own drives: within its room, never stale, and past a drive that fails.

Playbook: `storage/133_data_cache.yml`. It is broken by a drive that is full or read only, and by settings that a person changes by hand.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.lab import supervisor
from tests.lab.lifecycle import ssh_command
from tests.lab.reaching import ssh, until
from tests.lab.storage_site import DRIVE, SERVERS, Site, storage_site

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

NODES = ("node-01", "node-02")
LIMIT_MIB = 96
FRESH_S = 15
STEPS = {
    "127": "storage/127_configure_object_storage.yml",
    "128": "storage/128_set_up_file_system.yml",
    "130": "storage/130_mount_file_system.yml",
    "133": "storage/133_data_cache.yml",
}
VARIABLES = {
    "data_cache_folder": "/srv/cache/data",
    "data_cache_limit": f"{LIMIT_MIB}M",
    "data_cache_fresh_s": FRESH_S,
    "data_cache_sample_files": 4,
    "data_cache_sample_mib": 8,
}
METRIC = "cache.hit_read_gb_s"
OWN_DRIVE = f"""
mkfs.ext4 -q {DRIVE}
printf '[Mount]\\nWhat={DRIVE}\\nWhere=/srv/cache\\n[Install]\\nWantedBy=multi-user.target\\n' >/etc/systemd/system/srv-cache.mount
systemctl enable -q --now srv-cache.mount
"""
CORPUS = (
    "cd /shared/datasets && for n in $(seq 20); do head -c 8M /dev/urandom >part-$n; done && sha256sum part-* >SUMS"
)
READ_ALL = "cd /datasets && sha256sum --check --quiet SUMS && echo same"

HARMS = [
    ("mount -o remount,ro /srv/cache", "mount -o remount,rw /srv/cache", "Read-only file system"),
    (
        "fallocate -l $(df -B1 --output=avail /srv/cache | tail -n 1) /srv/cache/others",
        "rm /srv/cache/others",
        "No space left on device",
    ),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Yield a site with its file system, whose nodes have a drive."""
    folder = tmp_path_factory.mktemp("drives")
    for site in storage_site("cwch", "10.94.0.0/22", folder, STEPS, VARIABLES, drives=(*SERVERS, *NODES)):
        for step in ("127", "128", "130"):
            site.play(step, "--skip-tags", "proof")
        for node in NODES:
            ssh(site.lab, node, OWN_DRIVE)
        yield site


@pytest.fixture(scope="module")
def built(site: Site) -> Site:
    """Return the site once nodes have their caches. Before that the playbook ran in check mode."""
    site.play("133", "--check")
    site.play("133")
    return site


def proved(site: Site) -> float | None:
    """Have node-02 read a sample, and return the rate of its own drive."""
    site.play("133", "--tags", "proof", "--limit", "node-02")
    rate: float | None = site.measured("133")[METRIC]
    return rate


def boot(site: Site) -> list[str]:
    """Return the boot that node-02 runs and the state of its cache; nothing while it does not answer."""
    look = "cat /proc/sys/kernel/random/boot_id; systemctl is-active data-cache"
    command = [*ssh_command(site.lab, "node-02"), look]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout.split()


def test_a_folder_on_no_drive_of_its_own_is_refused(site: Site) -> None:
    said = site.fails("133", "-e", "data_cache_folder=/shared/cache", "-e", "data_cache_limit=1T")

    assert "data_cache_folder (/shared/cache) is on " in said
    assert "data_cache_limit (1T) is more than nine tenths of the " in said


def test_a_second_read_comes_from_the_own_drive(built: Site) -> None:
    assert built.measured("133")[METRIC] > 0
    note = built.note("133", METRIC)
    assert note.startswith("34 of 34 MB from the own drive and 0 MB received"), note
    assert int(note.partition("the first time ")[2].partition(" MB")[0]) >= 33, note
    assert built.play("133").changes == 0


def test_the_cache_stays_within_its_room(built: Site) -> None:
    """Twenty files of 8 MiB are read; the cache has room for eleven."""
    ssh(built.lab, "mgmt", CORPUS)
    until(lambda: ssh(built.lab, "node-01", f"{READ_ALL} || true"), "same".__eq__, seconds=60)
    taken = "du -s -BM /srv/cache/data | cut -f 1"

    size = until(lambda: int(ssh(built.lab, "node-01", taken).rstrip("M")), lambda mib: mib <= LIMIT_MIB, seconds=30)

    assert LIMIT_MIB / 2 < size <= LIMIT_MIB
    assert ssh(built.lab, "node-01", READ_ALL) == "same"


@pytest.mark.parametrize(("way", "keeps"), [("reboot", True), ("off", False)])
def test_a_node_that_starts_again_has_its_cache_unless_its_power_was_cut(built: Site, way: str, keeps: bool) -> None:
    """What is known of a cached file may reach the drive before the file does."""
    until(lambda: ssh(built.lab, "node-02", f"{READ_ALL} || true"), "same".__eq__, seconds=60)
    before = boot(built)
    supervisor.switch(built.lab, way, "node-02")
    if way == "off":
        supervisor.switch(built.lab, "on", "node-02")
    until(lambda: boot(built), lambda now: now[1:] == ["active"] and now != before, seconds=120)

    cached = ssh(built.lab, "node-02", "find /srv/cache/data/vfs -type f | wc -l")

    assert (int(cached) > 0) is keeps
    assert ssh(built.lab, "node-02", READ_ALL) == "same"


def test_names_that_are_kept_for_hours_are_found_stale_and_set_back(built: Site) -> None:
    change = "sed -i 's/--dir-cache-time=[0-9]*s/--dir-cache-time=4h/' /etc/systemd/system/data-cache.service"
    ssh(built.lab, "node-02", f"{change} && systemctl daemon-reload && systemctl restart data-cache")

    assert proved(built) is None
    assert "a changed file is still read as it was, " in built.note("133", METRIC)

    assert built.play("133", "--tags", "cache").changed["node-02"] >= 1
    assert proved(built)


def test_a_cache_that_is_turned_off_has_no_hits(built: Site) -> None:
    change = "sed -i 's/--read-only/--read-only --vfs-cache-mode=off/' /etc/systemd/system/data-cache.service"
    ssh(built.lab, "node-02", f"{change} && systemctl daemon-reload && systemctl restart data-cache")

    assert proved(built) == 0
    assert built.note("133", METRIC).startswith("0 of 34 MB from the own drive and 3")

    built.play("133", "--tags", "cache")


@pytest.mark.parametrize(
    ("harm", "repair", "why"),
    HARMS,
)
def test_readers_go_on_past_a_drive_that_takes_nothing_more(built: Site, harm: str, repair: str, why: str) -> None:
    reader = subprocess.Popen(
        [*ssh_command(built.lab, "node-02"), f"for n in $(seq 15); do {READ_ALL} || sleep 1; done; {READ_ALL}"],
        stdout=subprocess.PIPE,
        text=True,
    )
    ssh(built.lab, "node-02", f"{harm} 2>/dev/null")

    past = until(lambda: ssh(built.lab, "node-02", "cat /run/data-cache/past || true"), bool, seconds=60)

    assert past == f"/srv/cache/data: {why}"
    assert reader.communicate(timeout=300)[0].split()[-1] == "same"
    assert proved(built) == 0
    assert built.note("133", METRIC).startswith(f"reads past the cache (/srv/cache/data: {why}); 0 of 34 MB")

    ssh(built.lab, "node-02", repair)
    assert built.play("133", "--tags", "cache").changed == {"node-01": 0, "node-02": 2}
    assert proved(built)
