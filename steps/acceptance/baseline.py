"""What a host is held against: the site's own baseline, handed over with what was read."""

from __future__ import annotations

import shlex
from typing import Any

from steps.acceptance import gpus
from steps.acceptance.handed import Found, Handed, NotMeasuredError


def stated(handed: Handed, name: str) -> Any:
    """Give a value of the baseline; an unset one stops the measurement and says where to set it."""
    value = handed.document("baseline").get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise NotMeasuredError(f"state {name} in the inventory")
    return value


def driver_matches(handed: Handed) -> Found:
    """Say whether the loaded GPU driver is exactly the pinned one."""
    wanted = str(stated(handed, "gpu_driver_version")).strip()
    found = gpus.driver_version(handed)
    return Found(found == wanted, f"{found}, pinned {wanted}")


def release_matches(handed: Handed) -> Found:
    """Say whether /etc/os-release is the baseline's: `Debian 12`, `Ubuntu 22.04.4`, or the pretty name.

    A baseline of fewer version parts takes in every release below it: `Rocky 9` is met by 9.4.
    """
    wanted = str(stated(handed, "operating_system_baseline")).strip()
    name, _, version = wanted.casefold().rpartition(" ")
    said = _release(handed)
    pretty = said["PRETTY_NAME"].casefold()
    if wanted.casefold() == pretty:
        return Found(value=True, note=said["PRETTY_NAME"])
    if not name or not version[:1].isdigit():
        raise NotMeasuredError(f"operating_system_baseline {wanted!r} is no name and version; write `Debian 12`")
    names = {said["ID"].casefold(), said["NAME"].casefold(), said["NAME"].casefold().split()[0]}
    versions = {said["VERSION_ID"], *said.get("VERSION", "").split()[:1]}
    matches = name in names and any(f"{v}.".startswith(f"{version}.") for v in versions)
    return Found(matches, said["PRETTY_NAME"])


def _release(handed: Handed) -> dict[str, str]:
    """Read the file by the shell's rules of quoting, as its specification says."""
    lines = [line for line in handed.text("os_release").splitlines() if line.strip() and not line.startswith("#")]
    said = (line.split("=", 1) for line in lines)
    return {key: "".join(shlex.split(value)) for key, value in said}
