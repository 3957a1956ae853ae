"""Hosts that are not what steps make of them: another image, a wrong clock, no containers, memory that forgets. Each is found and named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.as_engine import Reader
from tests.lab.conftest import made_alone
from tests.lab.playing import find, play, played
from tests.lab.reaching import ssh

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(1800)]

HOSTS = ("mgmt", "node-01", "node-02")
NODES = HOSTS[1:]
DIGEST = "/etc/clusterwright/image"
RECORD = "/var/lib/clusterwright/burn-in/system"
OVERWRITE = r"""
import os, pathlib, time
end = time.time() + 90
while time.time() < end:
    for name in pathlib.Path("/proc").glob("[0-9]*/comm"):
        try:
            if not name.read_text().startswith("stress-ng-vm"):
                continue
            for line in (name.parent / "maps").read_text().splitlines():
                words = line.split()
                first, last = (int(word, 16) for word in words[0].split("-"))
                if words[1].startswith("rw") and last - first >= 1 << 20 and (len(words) == 5 or "zero" in words[-1]):
                    with open(name.parent / "mem", "r+b", buffering=0) as memory:
                        for part in range(16):
                            memory.seek(first + (last - first) * part // 16)
                            memory.write(os.urandom(64))
        except (OSError, ValueError):
            pass
"""
"""What overwrites the memory of a load while it runs, as cells do that lose their bits."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    for lab in made_alone("cwbrok", "10.81.16.0/22", "rack"):
        yield Reader(lab, tmp_path_factory.mktemp("readings"))


def test_a_host_of_another_image_is_named(site: Reader) -> None:
    for host in HOSTS:
        ssh(site.lab, host, f"mkdir -p {DIGEST.rpartition('/')[0]}; echo sha256:decided >{DIGEST}")
    decided = ("-e", "os_image_digest=sha256:decided")
    played(site.lab, find("141"), *decided)

    with site.broken("node-02", f"echo sha256:older >{DIGEST}", f"echo sha256:decided >{DIGEST}"):
        ran = play(site.lab, find("141"), *decided)

    assert [line.partition("]")[0] for line in ran.said.splitlines() if line.startswith("fatal: ")] == [
        "fatal: [node-02"
    ]
    assert "image sha256:older; decided: Debian 12, any kernel, sha256:decided. Install it again" in ran.said


def test_a_clock_with_a_wrong_source_and_one_without_any_are_named(site: Reader) -> None:
    well = site.read("144", "time.offset_abs_ms", *HOSTS)
    assert max(value for value, _ in well.values()) < 1
    unit = "/etc/systemd/system/chrony.service.d/zz-own.conf"
    own = (
        "sed 's/^server.*/& offset 0.5/' /etc/chrony/chrony.conf >/etc/chrony/own.conf; "
        f"printf '[Service]\\nExecStart=\\nExecStart=!/usr/sbin/chronyd -F 1 -x -f /etc/chrony/own.conf\\n' >{unit}"
    )
    again = "systemctl daemon-reload; systemctl restart chrony"
    chain = "add table inet shut; add chain inet shut in { type filter hook input priority 0; }"
    ssh(site.lab, "node-02", "apt-get install -y -qq --no-install-recommends nftables >/dev/null")

    with (
        site.broken("node-01", f"{own}; {again}; chronyc waitsync 30 0 0 1", f"rm {unit}; {again}"),
        site.broken(
            "node-02",
            f"nft '{chain}; add rule inet shut in udp sport 123 drop'; systemctl restart chrony",
            "nft delete table inet shut; systemctl restart chrony",
        ),
    ):
        found = site.measured("144", *NODES, time_sync_wait_s=5)

    assert float(found["time.offset_abs_ms"]["node-01"][0]) > 400
    assert found["time.synchronised"]["node-02"] == (False, "the clock is not synchronised")
    assert found["time.synchronised"]["node-01"][0] is True


def test_a_host_that_cannot_run_containers_is_named(site: Reader) -> None:
    metric = "container.runtime_present"
    assert {value for value, _ in site.read("152", metric, *NODES).values()} == {True}

    with site.broken("node-02", "chmod -x /usr/bin/crun", "chmod +x /usr/bin/crun"):
        found = site.read("152", metric, *NODES)

    assert found["node-01"][0] is True
    assert found["node-02"][0] is False
    assert "/usr/bin/crun is not valid" in found["node-02"][1]


def test_memory_that_forgets_and_a_load_that_was_ended_are_named(site: Reader) -> None:
    kill = "until pgrep -x stress-ng-vm; do sleep 0.2; done; sleep 2; systemctl kill -s KILL burn-in-load-system"
    for host in NODES:
        ssh(site.lab, host, f"systemctl stop burn-in-load-system burn-in-record-system 2>/dev/null; rm -rf {RECORD}")
    with (
        site.broken(
            "node-01",
            f"cat >/root/overwrite.py <<'END'{OVERWRITE}END\nsystemd-run -q --unit=overwrite python3 /root/overwrite.py",
            "systemctl stop overwrite",
        ),
        site.broken("node-02", f"systemd-run -q --unit=ender --collect sh -c '{kill}'", "systemctl stop ender || true"),
    ):
        red = site.measured("035", *NODES)
    for host in NODES:
        ssh(site.lab, host, f"systemctl stop burn-in-load-system burn-in-record-system; rm -rf {RECORD}")
    well = site.read("035", "stress.memory_failures", *NODES)

    value, note = red["stress.memory_failures"]["node-01"]
    assert value >= 1, note
    ended, why = red["stress.memory_failures"]["node-02"]
    assert ended is None
    assert "the load has not run to its end" in why
    assert {value for value, _ in well.values()} == {0}
