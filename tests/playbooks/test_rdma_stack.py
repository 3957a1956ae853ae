"""The RDMA stack: ports are read by the real ibstat on a simulated fabric, and what each release would get is Ansible's own, in check mode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.bench import Bench
from tests.acceptance.fabrics import SmallFabric
from tests.playbooks.scripts import script
from tests.playbooks.several_hosts import ROLES, Said, play

LOADED = "6.1.0-25-amd64"
DEVICES = {"rail0": {"pci": "0000:18:00.0", "rate_gbit": 400}, "mlx5_1": {"pci": "0000:2a:00.0", "rate_gbit": 400}}

proof = script("proof", "rdma_stack")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    bench = Bench(tmp_path, monkeypatch)
    yield bench
    bench.close()


def installed(bench: Bench, version: str, file: str, *, runs: str = "ABC") -> tuple[object, str]:
    """Return what is found of a stack whose package and module are these."""
    loaded = bench.folder / "module" / "mlx5_ib"
    loaded.mkdir(parents=True, exist_ok=True)
    (loaded / "srcversion").write_text(f"{runs}\n", encoding="utf-8")
    bench.programs(
        {"dpkg-query": f"echo {version}", "modinfo": f'case "$2" in filename) echo {file};; *) echo ABC;; esac'}
    )
    bench.patch.setattr(proof, "SYS", bench.folder)
    found: tuple[object, str] = proof.stack("doca" if "updates" in file else "inbox", "44", "mlx5_ib")
    return found


def test_the_pinned_package_whose_own_module_runs_is_right(bench: Bench) -> None:
    for file in (f"/lib/modules/{LOADED}/kernel/mlx5_ib.ko", f"/lib/modules/{LOADED}/updates/dkms/mlx5_ib.ko"):
        assert installed(bench, "44.0-2", file)[0] is True


@pytest.mark.parametrize(
    ("version", "runs", "said"),
    [("441.0", "ABC", "is 441.0, not 44"), ("44.0", "OLD", "another mlx5_ib runs than is installed")],
)
def test_another_version_and_a_module_from_before_an_update_are_named(
    bench: Bench, version: str, runs: str, said: str
) -> None:
    found, note = installed(bench, version, f"/lib/modules/{LOADED}/kernel/mlx5_ib.ko", runs=runs)

    assert found is False
    assert said in note


def test_a_host_of_which_no_devices_are_wanted_is_not_measured(bench: Bench) -> None:
    found = bench.proof("rdma_stack", "inbox", "44", "mlx5_ib", "{}")

    assert {entry["value"] for entry in found.values()} == {None}


def port(rate: int) -> tuple[object, str]:
    """Return what is found of the card that a simulated host has, which should have this rate."""
    device = {"ibsim0": {"pci": "0000:18:00.0", "rate_gbit": rate}}
    found: tuple[object, str] = proof.planned(device, proof.ports_in(proof.said("ibstat")))
    return found


def test_a_port_is_named_with_the_reason_until_it_is_active_at_the_rate_of_the_design(bench: Bench) -> None:
    """By the real ibstat, on ibsim: before a subnet manager runs, at a lower rate, and without its cable."""
    fabric = SmallFabric(bench, "node-1")
    for name, value in fabric.environment.items():
        bench.patch.setenv(name, value)
    before = port(10)
    fabric.manager("fm-1", 14)
    fine, slow = port(10), port(400)
    fabric.say('Unlink "node-1"[1]')
    cut = port(10)

    assert before[0] == 1
    assert "ibsim0/1 is Initializing and LinkUp: no subnet manager has set it up" in before[1]
    assert fine[0] == 0, fine
    assert slow[0] == 1
    assert "ibsim0/1 has 10 of 400 Gbit/s" in slow[1]
    assert cut[0] == 1, cut
    assert "ibsim0/1 is Down and Polling: nothing answers" in cut[1]


HOSTS = {
    "debian": ("Debian", "12.11", "bookworm", "Debian"),
    "jammy": ("Ubuntu", "22.04", "jammy", "Debian"),
    "noble": ("Ubuntu", "24.04", "noble", "Debian"),
    "rocky": ("Rocky", "9.5", "Blue Onyx", "RedHat"),
}
FACTS = ("distribution", "distribution_version", "distribution_release", "os_family")


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """Return what Ansible said in a task of a host: it plays parts of the role in check mode, once for all tests."""
    folder = tmp_path_factory.mktemp("rdma")
    role = ROLES / "rdma_stack"
    facts = {f"ansible_{fact}": f"{{{{ {fact} }}}}" for fact in FACTS}
    facts["ansible_distribution_major_version"] = "{{ distribution_version | split('.') | first }}"
    facts["ansible_kernel"] = LOADED
    rules = f"{{{{ lookup('ansible.builtin.template', '{role}/templates/names.rules.j2') }}}}"
    tasks = [
        {"ansible.builtin.set_fact": facts | {"cacheable": True}},
        {"name": "Repository", "ansible.builtin.debug": {"msg": "{{ rdma_stack_repository }}"}},
        {"name": "Rules", "ansible.builtin.debug": {"msg": rules}},
        {"ansible.builtin.include_role": {"name": "rdma_stack"}, "vars": {"rdma_version": ""}},
    ]
    files = [str(role / part / "main.yml") for part in ("defaults", "vars")]
    values = {"rdma_stack": "doca", "rdma_version": "3.1.0", "rdma_devices": DEVICES}
    hosts = {name: dict(zip(FACTS, facts, strict=True)) for name, facts in HOSTS.items()}
    return play(folder, hosts, {"vars_files": files, "vars": values, "tasks": tasks}, "--check")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("host", "folder"),
    [("debian", "debian12.5"), ("jammy", "ubuntu22.04"), ("noble", "ubuntu24.04"), ("rocky", "rhel9")],
)
def test_each_release_has_its_folder_of_the_pinned_version(said: Said, host: str, folder: str) -> None:
    assert said(host, "Repository") == f"https://linux.mellanox.com/public/repo/doca/3.1.0/{folder}/x86_64/"


@pytest.mark.slow
def test_devices_are_named_by_their_place_and_those_with_the_kernels_names_are_left(said: Said) -> None:
    rules = said("debian", "Rules")

    assert 'KERNELS=="0000:18:00.0", PROGRAM=="rdma_rename %k NAME_FIXED rail0", GOTO="rdma_names_end"' in rules
    assert "0000:2a:00.0" not in rules
    assert rules.rstrip().endswith('PROGRAM=="rdma_rename %k NAME_KERNEL"\nLABEL="rdma_names_end"')


@pytest.mark.slow
def test_a_version_that_nobody_chose_is_not_installed(said: Said) -> None:
    assert said("noble", "Refuse to install a version").startswith("state the version of the RDMA stack")
