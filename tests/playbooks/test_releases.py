"""What the releases of distributions call the packages that roles want, and what is said where one has none."""

from __future__ import annotations

import re

import pytest

from benchmarks.distributions import ARCHIVES, PAGE, described, entry, listed, names, unresolved, wanted
from tests.lab.playing import FOLDER
from tests.playbooks.several_hosts import ROLES, Said, play

HOSTS = {
    "debian": {"distribution": "Debian", "version": "12.11", "release": "bookworm"},
    "jammy": {"distribution": "Ubuntu", "version": "22.04", "release": "jammy"},
    "rocky": {"distribution": "Rocky", "version": "9.5", "release": "Blue Onyx"},
    "trixie": {"distribution": "Debian", "version": "13.1", "release": "trixie"},
}
"""What hosts say of themselves. None is asked: Ansible takes these for facts that it has gathered."""

WANTED = [
    "chrony",
    "slurm-wlm-jwt-plugin",
    "slurm-wlm-mysql-plugin",
    "nfs-common",
    "nfs-kernel-server",
    "python3-debian",
]
PLAY = {
    "vars": {"packages_wanted": WANTED},
    "vars_files": [str(ROLES / "packages" / "vars" / "main.yml")],
    "tasks": [
        {
            "ansible.builtin.set_fact": {
                "ansible_distribution": "{{ distribution }}",
                "ansible_distribution_release": "{{ release }}",
                "ansible_distribution_version": "{{ version }}",
                "ansible_distribution_major_version": "{{ version | split('.') | first }}",
                "cacheable": True,
            }
        },
        {"name": "Names here", "ansible.builtin.debug": {"msg": "{{ packages_here }}"}},
        {"name": "Names elsewhere", "ansible.builtin.debug": {"msg": "{{ packages_here }}"}, "delegate_to": "debian"},
        {
            "ansible.builtin.include_role": {"name": "packages"},
            "vars": {"packages_wanted": ["slapd", "chrony"]},
            "when": "inventory_hostname in ['rocky', 'trixie']",
        },
        {
            "ansible.builtin.include_role": {"name": "packages"},
            "vars": {"packages_wanted": [], "packages_result": "nothing_missing"},
        },
        {"name": "Nothing missing", "ansible.builtin.debug": {"msg": "{{ nothing_missing is not changed }}"}},
    ],
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """Return what Ansible said as it played the role in check mode, once for all tests."""
    return play(tmp_path_factory.mktemp("releases"), HOSTS, PLAY, "--check")


@pytest.mark.slow
def test_a_host_gets_what_its_release_calls_a_package(said: Said) -> None:
    """Several may be one package there, or none that is needed."""
    assert said("debian", "Names here") == WANTED
    assert said("jammy", "Names here") == [
        "chrony",
        "nfs-common",
        "nfs-kernel-server",
        "python3-debian",
        "slurm-wlm-basic-plugins",
    ]
    assert said("rocky", "Names here") == ["chrony", "nfs-utils"]


@pytest.mark.slow
def test_what_is_delegated_has_the_names_of_the_host_that_it_is_delegated_to(said: Said) -> None:
    """A client lets itself in on its server, which may have another release."""
    assert said("rocky", "Names elsewhere") == WANTED


@pytest.mark.slow
def test_a_package_that_a_release_lacks_is_refused_with_the_reason(said: Said) -> None:
    """Nothing of the list is installed, so that a host is not left half done."""
    refused = said("rocky", "Refuse what this release does not have")

    assert refused.startswith("rocky runs Rocky 9.5: slapd: ")
    assert refused.endswith(". Nothing was installed")


@pytest.mark.slow
def test_a_release_that_nobody_described_is_refused(said: Said) -> None:
    """Debian's next release is another one."""
    refused = said("trixie", "Refuse a release")

    assert refused.startswith("trixie runs Debian 13.1, which is not supported. Supported are Debian 12, Ubuntu 22.04")


@pytest.mark.slow
def test_a_role_is_told_whether_something_was_missing(said: Said) -> None:
    """Check mode shows no settings of what is not installed."""
    assert said("debian", "Nothing missing") is True


def test_roles_ask_one_role_for_packages() -> None:
    """NVIDIA's packages come at pinned versions from repositories of their own."""
    asking = {
        file.relative_to(ROLES).as_posix()
        for file in FOLDER.rglob("*.yml")
        if re.search(r"ansible\.builtin\.(apt|dnf|yum):", file.read_text(encoding="utf-8"))
    }

    of_nvidia = {f"{role}/tasks/{tool}.yml" for role in ("nvidia_stack", "rdma_stack") for tool in ("apt", "dnf")}
    assert asking == {"packages/tasks/main.yml"} | of_nvidia


def test_the_table_describes_what_is_wanted_in_releases_that_are_known() -> None:
    """An entry that nobody asks for, or of a release under another name, would look as if it helped."""
    table = described()["packages_table"]

    assert table.keys() <= wanted().keys()
    assert list(table) == sorted(table)
    assert {release for entries in table.values() for release in entries} <= described()["packages_releases"].keys()
    assert all(set(one) == {"none"} for entries in table.values() for one in entries.values() if isinstance(one, dict))


def test_the_page_has_every_package_by_the_names_of_the_table() -> None:
    """`python -m benchmarks.distributions` writes it: run it when a role wants something else."""
    text = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    there = {row[0]: dict(zip(described()["packages_releases"], row[1:], strict=False)) for row in rows[2:]}

    assert there.keys() == wanted().keys()
    for package, cells in there.items():
        for release, cell in cells.items():
            assert (cell == "none") == isinstance(entry(package, release), dict)
            assert "not found" not in cell
            assert all(name == package or name in cell for name in names(package, release))


@pytest.mark.long
@pytest.mark.parametrize("release", ARCHIVES)
def test_every_name_is_in_the_archive_of_its_release(release: str) -> None:
    """Nobody looked RHEL's repositories up."""
    try:
        there = listed(release)
    except OSError as error:
        pytest.skip(f"not reached: {ARCHIVES[release].address} ({error})")

    assert unresolved(release, there) == []
