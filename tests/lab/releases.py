"""The operating systems that a lab's hosts can have, by the names that `operating_system_baseline` uses."""

from __future__ import annotations

from dataclasses import dataclass

DEBIAN_12 = "Debian 12"
UBUNTU_24_04 = "Ubuntu 24.04"


@dataclass(frozen=True)
class Release:
    """Where an operating system's packages are, and what its servers have beside what every host of a lab has."""

    suites: tuple[str, ...]
    components: str
    archive: str = ""
    """Left out where it is the archive from which this machine installs."""
    keyring: str = ""
    """Its keys on its own hosts; left out where this machine has them."""
    packages: tuple[str, ...] = ()


RELEASES = {
    DEBIAN_12: Release(suites=("bookworm",), components="main"),
    UBUNTU_24_04: Release(
        suites=("noble", "noble-updates", "noble-security"),
        components="main universe",
        archive="http://archive.ubuntu.com/ubuntu",
        keyring="/usr/share/keyrings/ubuntu-archive-keyring.gpg",
        # of what the installer leaves on a server: services that roles meet
        packages=("apparmor", "needrestart", "rsyslog", "systemd-timesyncd", "ufw", "unattended-upgrades"),
    ),
}
