"""Data on the shared file system: fetched from outside, tokenised, kept in versions, compressed and scrubbed, and each broken by real tools.

Playbooks: `storage/131_data_ingestion.yml`, `storage/132_preprocessing_servers.yml`, `storage/135_dataset_versioning.yml`,
`storage/136_deduplication.yml`, `storage/137_integrity_checking.yml`.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.lab.lifecycle import ssh_command
from tests.lab.reaching import ssh, until
from tests.lab.storage_site import SERVERS, Site, storage_site

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

STEPS = {
    "127": "storage/127_configure_object_storage.yml",
    "128": "storage/128_set_up_file_system.yml",
    "130": "storage/130_mount_file_system.yml",
    "131": "storage/131_data_ingestion.yml",
    "132": "storage/132_preprocessing_servers.yml",
    "135": "storage/135_dataset_versioning.yml",
    "136": "storage/136_deduplication.yml",
    "137": "storage/137_integrity_checking.yml",
}
NEW = ("131", "132", "135", "136", "137")
VARIABLES = {
    "storage_bricks_file_system": "btrfs",
    "storage_compression_sample": "/usr/lib/x86_64-linux-gnu",
    "storage_compression_sample_mib": 32,
    "storage_compression_rounds": 3,
    "storage_scrub_sign_after_s": 10,
    "storage_scrub_throttle": "aggressive",
    "storage_scrub_wait_s": 150,
}
INCOMING = "/shared/datasets/incoming"
SOURCE = """
apt-get install -y -qq --no-install-recommends nginx-light >/dev/null 2>&1
mkdir -p /srv/source; cd /srv/source
for n in 1 2 3; do head -c 1M /dev/urandom >part-$n; done
head -c 16M /dev/urandom >large
sha256sum * >/root/sums; mv /root/sums SHA256SUMS
echo 'server { listen 8080; root /srv/source; access_log /var/log/nginx/source.log; }' >/etc/nginx/conf.d/source.conf
rm -f /etc/nginx/sites-enabled/default; systemctl restart nginx
sha256sum <SHA256SUMS
"""
KILL = f"""
for n in $(seq 600); do
  f={INCOMING}/.second.part/large
  [ -e $f.aria2 ] && [ "$(stat -c %s $f)" -gt 4000000 ] && {{ pkill -9 aria2c; echo killed; exit; }}
  sleep 0.2
done
"""
CHANGE = """cd /shared/datasets/.sample
object=$(find .git/annex/objects -type f -name "$(git annex find --branch v1 --include=numbers --format='${key}')")
chmod u+w $object; printf X | dd of=$object bs=1 seek=100 conv=notrunc status=none
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Yield a site with its file system, mounted."""
    for site in storage_site("cwda", "10.83.0.0/22", tmp_path_factory.mktemp("drives"), STEPS, VARIABLES):
        for step in ("127", "128", "130"):
            site.play(step, "--skip-tags", "proof")
        yield site


@pytest.fixture(scope="module")
def source(site: Site) -> dict[str, str]:
    """Return a data set that a web server outside the file system has."""
    sums = ssh(site.lab, "node-02", SOURCE).split()[0]
    return {
        "url": f"http://{site.lab.addresses.of(site.lab.topology.host('node-02').number)}:8080",
        "sums_sha256": sums,
    }


@pytest.fixture(scope="module")
def built(site: Site, source: dict[str, str]) -> Site:
    """Return the site once every step ran. Before each its playbook ran in check mode."""
    settings = json.loads(site.variables.read_text(encoding="utf-8"))
    settings["data_ingest_sets"] = [{"name": "reference", **source}]
    site.variables.write_text(json.dumps(settings), encoding="utf-8")
    for step in NEW:
        site.play(step, "--check")
        site.play(step)
    return site


def ingested(site: Site, name: str, source: dict[str, str], limit: str = "0") -> None:
    """Have a set of this name fetched."""
    sets = {"data_ingest_sets": [{"name": name, **source}], "data_ingest_limit": limit}
    site.play("131", "-e", json.dumps(sets))


def test_each_step_proves_itself_and_a_second_run_changes_nothing(built: Site) -> None:
    assert built.measured("136")["compression.write_slowdown"] is not None
    assert int(compressed(built).partition(" % of 34 MB saved; ")[0]) > 10
    assert [built.measured(step) for step in NEW if step != "136"] == [
        {"ingest.checksum_failures": 0},
        {"preprocess.sample_errors": 0},
        {"dataset.restored_digest_match": True},
        {"scrub.injected_errors_missed": 0},
    ]
    assert scrubbed(built) == "6 damaged copies were named and made again"
    assert "1 recorded steps" in built.note("135", "dataset.restored_digest_match")
    assert {step: built.play(step).changes for step in NEW} == dict.fromkeys(NEW, 0)


def test_a_transfer_that_is_killed_goes_on_where_it_stopped(built: Site, source: dict[str, str]) -> None:
    killing = subprocess.Popen([*ssh_command(built.lab, "mgmt"), KILL], stdout=subprocess.PIPE, text=True)

    ingested(built, "second", source, limit="2M")

    assert killing.communicate(timeout=60)[0].strip() == "killed"
    assert built.measured("131") == {"ingest.checksum_failures": 0}
    asked = ssh(built.lab, "node-02", "grep 'GET /large' /var/log/nginx/source.log | awk '{print $9}'").split()
    assert asked[-1] == "206", "the rest alone was asked for"


@pytest.mark.parametrize(
    "harm", ["dd if=/dev/zero of=part-3 bs=1k count=1 seek=5 conv=notrunc", "truncate -s 500000 part-3"]
)
def test_a_file_that_is_altered_or_cut_at_its_source_does_not_arrive(
    built: Site, source: dict[str, str], harm: str
) -> None:
    ssh(built.lab, "node-02", f"cd /srv/source && cp part-3 /root/whole && {harm}")

    ingested(built, "third", source)

    assert built.measured("131") == {"ingest.checksum_failures": 1}
    assert built.note("131", "ingest.checksum_failures") == "third is not in place: part-3"
    assert ssh(built.lab, "mgmt", f"ls {INCOMING}").split().count("third") == 0
    ssh(built.lab, "node-02", "cp /root/whole /srv/source/part-3")


def test_a_worker_that_is_killed_leaves_documents_that_are_counted(built: Site) -> None:
    kill = "for n in $(seq 3000); do pkill -9 -f bin/[t]okenise-shards && exit; sleep 0.02; done"
    killing = subprocess.Popen([*ssh_command(built.lab, "node-02"), kill])

    built.play("132", "--tags", "proof")

    assert killing.wait(timeout=60) == 0
    assert built.measured("132")["preprocess.sample_errors"] > 0
    assert "documents" in built.note("132", "preprocess.sample_errors")


def test_a_changed_file_of_an_old_version_is_found(built: Site) -> None:
    ssh(built.lab, "mgmt", CHANGE)

    built.play("135", "--tags", "proof")

    assert built.measured("135") == {"dataset.restored_digest_match": False}
    assert ".sample v1: numbers" in built.note("135", "dataset.restored_digest_match")


def compressed(site: Site) -> str:
    """Return what the proof of 136 says."""
    return site.note("136", "compression.write_slowdown")


def test_a_brick_that_does_not_compress_is_named_and_set_again(built: Site) -> None:
    ssh(built.lab, "storage-2", "mount -o remount,compress=no /srv/bricks/1")

    built.play("136", "--tags", "proof")

    assert built.measured("136") == {"compression.write_slowdown": None}
    bricks = ", ".join(f"storage-2:/srv/bricks/1/shared-{kind}" for kind in ("copy", "data"))
    assert compressed(built) == f"does not compress: {bricks}"
    assert built.play("136", "--tags", "compression").changed == {"storage-1": 0, "storage-2": 1, "storage-3": 0}


def test_data_that_does_not_shrink_is_no_reason_to_compress(built: Site) -> None:
    built.play("136", "--tags", "proof", "-e", f"storage_compression_sample={INCOMING}/reference")

    assert built.measured("136") == {"compression.write_slowdown": None}
    assert "saved, less than 10 %" in compressed(built)


def test_a_level_that_slows_writers_is_measured(built: Site) -> None:
    built.play("136", "-e", "storage_compression_algorithm=zstd:15")

    assert built.measured("136")["compression.write_slowdown"] > 50
    built.play("136", "--tags", "compression")


def scrubbed(site: Site) -> str:
    """Return what the proof of 137 says."""
    return site.note("137", "scrub.injected_errors_missed")


def storage_address(site: Site, server: str) -> str:
    """Return a server's address on the storage network."""
    return str(site.lab.addresses.of(site.lab.topology.host(server).number, plane=1))


def test_damage_on_a_drive_is_named_by_server_and_path_and_clients_read_the_other_copy(built: Site) -> None:
    ssh(
        built.lab,
        "node-01",
        "mkdir -p /shared/mine && for n in 1 2 3 4 5 6 7 8; do head -c 1M /dev/urandom >/shared/mine/$n; done",
    )
    sums = ssh(built.lab, "node-01", "cd /shared/mine && sha256sum *")
    file = ssh(built.lab, "storage-2", "ls -d /srv/bricks/1/shared-data/mine/* | head -n 1")
    signed = f"getfattr --absolute-names -m trusted.bit-rot.signature {file}"
    until(lambda: ssh(built.lab, "storage-2", signed), bool, seconds=120)
    ssh(built.lab, "storage-2", f"dd if=/dev/urandom of={file} bs=4k seek=3 count=1 conv=notrunc status=none")

    ssh(built.lab, "storage-2", "gluster --mode=script volume bitrot shared scrub ondemand")

    status = "gluster --mode=script volume bitrot shared scrub status | sed -n '/^Node: localhost/,/^Node: 10/p'"
    found = until(lambda: ssh(built.lab, "storage-2", status), lambda said: "Error count: 1" in said, seconds=120)
    assert f"path: /mine/{file.rpartition('/')[2]}" in found
    assert ssh(built.lab, "node-02", "cd /shared/mine && sha256sum *") == sums


def test_a_server_that_no_longer_signs_is_found_and_signs_again(built: Site) -> None:
    ssh(built.lab, "storage-3", "kill $(cat /run/gluster/bitd/bitd.pid)")

    built.play("137", "--tags", "proof")

    assert built.measured("137")["scrub.injected_errors_missed"] >= 2, "a copy on each of its bricks"
    assert re.search("storage-3: /srv/bricks/1/shared-data/.* was not found, its brick signs nothing", scrubbed(built))
    assert built.play("137", "--tags", "scrub").changed["storage-3"] >= 1
    ssh(built.lab, "storage-3", "kill -0 $(cat /run/gluster/bitd/bitd.pid)")


def test_a_server_that_no_longer_scrubs_leaves_the_step_open(built: Site) -> None:
    ssh(built.lab, "storage-2", "kill $(cat /run/gluster/scrub/scrub.pid)")

    built.play("137", "--tags", "proof")

    assert built.measured("137")["scrub.injected_errors_missed"] is None
    assert scrubbed(built) == f"the scrub was not done in time on {storage_address(built, 'storage-2')}"
    ssh(built.lab, SERVERS[0], "gluster --mode=script volume start shared force")
