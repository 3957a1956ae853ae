"""What the packages of the roles are called in each release, held against the lists of the releases' archives.

python -m benchmarks.distributions     writes docs/evidence/distributions.md; it fetches the archives' lists
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import yaml

HERE = Path(__file__).parents[1]
PLAYBOOKS = HERE / "playbooks"
PAGE = HERE / "docs" / "evidence" / "distributions.md"
BEHIND_NAMES = {
    "home_folders_way.client": {"nfs-common", "glusterfs-client"},
    "home_folders_way.server": {"nfs-kernel-server", "glusterfs-server"},
    "storage_bricks_kind.package": {"xfsprogs", "btrfs-progs"},
    "slurm_gres_packages": {"slurm-wlm-nvml-plugin", "slurm-wlm-rsmi-plugin"},
}
"""What variables of roles stand for that are no plain list of packages."""

VENDORS = {"grafana", "datacenter-gpu-manager-4-core", "datacenter-gpu-manager-exporter"}
"""Packages of their makers' repositories, which a site names; no distribution has them."""


class Archive(NamedTuple):
    """Where a release's packages are listed."""

    address: str
    suites: tuple[str, ...]
    parts: tuple[str, ...]


UBUNTU = "http://archive.ubuntu.com/ubuntu"
ARCHIVES = {
    "bookworm": Archive("http://deb.debian.org/debian", ("bookworm",), ("main", "contrib")),
    "jammy": Archive(UBUNTU, ("jammy", "jammy-updates"), ("main", "universe")),
    "noble": Archive(UBUNTU, ("noble", "noble-updates"), ("main", "universe")),
}
"""The others are not looked up."""

PACKAGE = re.compile(r"^(Package|Version): (\S+)$", re.MULTILINE)
Entry = str | list[str] | dict[str, str]


@cache
def described() -> dict[str, Any]:
    """Return the variables of the role that installs packages: releases, and the table."""
    found: dict[str, Any] = yaml.safe_load(_read(PLAYBOOKS / "roles" / "packages" / "vars" / "main.yml"))
    return found


def entry(package: str, release: str) -> Entry:
    """Return what a release calls a package of Debian 12: a name, several, or why it has none."""
    found: Entry = (described()["packages_table"].get(package) or {}).get(release, package)
    return found


def names(package: str, release: str) -> list[str]:
    """Return the names of a package in a release. Empty where it has none."""
    found = entry(package, release)
    return [] if isinstance(found, dict) else [found] if isinstance(found, str) else found


def wanted() -> dict[str, set[str]]:
    """Return the packages that roles and playbooks want, by Debian 12's names, each with who wants it."""
    found: dict[str, set[str]] = {}
    for file in sorted(PLAYBOOKS.rglob("*.yml")):
        text = _read(file)
        if "packages_wanted:" not in text or "packages" in file.parts:
            continue
        who = file.parts[file.parts.index("roles") + 1] if "roles" in file.parts else file.stem
        for value in _values(yaml.safe_load(text)):
            for package in _packages(value, who):
                found.setdefault(package, set()).add(who)
    return found


def _values(part: Any) -> Iterator[Any]:
    """Yield what is wanted anywhere in plays and tasks."""
    if isinstance(part, list):
        for one in part:
            yield from _values(one)
    elif isinstance(part, dict):
        for key, value in part.items():
            if key == "packages_wanted":
                yield value
            else:
                yield from _values(value)


def _packages(value: Any, role: str) -> set[str]:
    """Return the packages that a list or a template may name."""
    words = value if isinstance(value, list) else [value]
    plain = {word for word in words if "{{" not in word}
    for template in (word for word in words if "{{" in word):
        quoted = set(re.findall(r"'([a-z0-9.+-]+)'", template))
        behind = [_behind(name, role) for name in re.findall(r"\b[a-z_]+_(?:way|kind|package)[a-z_.]*", template)]
        plain = plain.union(quoted, *behind)
    return plain


def _behind(name: str, role: str) -> set[str]:
    if name in BEHIND_NAMES:
        return BEHIND_NAMES[name]
    value = yaml.safe_load(_read(PLAYBOOKS / "roles" / role / "defaults" / "main.yml"))[name]
    return {value} if isinstance(value, str) else set(value)


def listed(release: str) -> dict[str, str]:
    """Return the packages of a release's archive, with their versions. Raise `OSError` where it is not reached."""
    archive = ARCHIVES[release]
    found: dict[str, str] = {}
    for suite in archive.suites:
        for part in archive.parts:
            with urlopen(f"{archive.address}/dists/{suite}/{part}/binary-amd64/Packages.xz", timeout=60) as answer:
                text = lzma.decompress(answer.read()).decode()
            for paragraph in text.split("\n\n"):
                fields = dict(PACKAGE.findall(paragraph))
                if fields:
                    found[fields["Package"]] = fields["Version"]
    return found


def unresolved(release: str, there: dict[str, str]) -> list[str]:
    """Return the names that roles want in a release, and that are not among those of its archive."""
    return sorted(
        name for package in wanted().keys() - VENDORS for name in names(package, release) if name not in there
    )


def main() -> None:
    """Write the page."""
    PAGE.write_text("\n".join(_page()) + "\n", encoding="utf-8")


def _page() -> Iterator[str]:
    releases = {short: release["title"] for short, release in described()["packages_releases"].items()}
    there = {release: listed(release) for release in ARCHIVES}
    packages = wanted()
    yield "# Packages in each distribution\n"
    yield (
        "What the packages of the roles are called, and in which version the release's archive has them, by its own list of "
        f"{datetime.now(UTC):%d %B %Y}. Written by `python -m benchmarks.distributions` from the one table of the role "
        "packages (`playbooks/roles/packages/README.md`).\n"
    )
    yield (
        "Repositories of RHEL 9 and Rocky Linux 9 were not looked up, and no role ran there: their column has the names of "
        "the table, and whether they resolve is not known. That an archive has a package does not say that its role works "
        "there: each role's `meta/main.yml` claims what was tried.\n"
    )
    yield f"| package | {' | '.join(releases.values())} | wanted by |"
    yield "|" + "---|" * (len(releases) + 2)
    for package, roles in sorted(packages.items()):
        cells = [_cell(package, release, there.get(release)) for release in releases]
        yield f"| {package} | {' | '.join(cells)} | {', '.join(sorted(roles))} |"
    yield "\n## Why a release has none\n"
    why: dict[tuple[str, str], list[str]] = {}
    for package in sorted(packages):
        for release, title in releases.items():
            found = entry(package, release)
            if isinstance(found, dict):
                why.setdefault((title, found["none"]), []).append(package)
    yield "| release | packages | why |"
    yield "|---|---|---|"
    for (title, reason), lacking in sorted(why.items()):
        yield f"| {title} | {', '.join(lacking)} | {reason} |"


def _cell(package: str, release: str, there: dict[str, str] | None) -> str:
    found = entry(package, release)
    if isinstance(found, dict):
        return "none"
    if package in VENDORS:
        return "the maker's"
    if there is None:
        return ", ".join(names(package, release)) or "not needed"
    missing = [name for name in names(package, release) if name not in there]
    if missing:
        return f"not found: {', '.join(missing)}"
    return ", ".join(there[name] if name == package else f"{name} {there[name]}" for name in names(package, release))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
