"""The disks' common part: a base of each release, and over Debian's a layer with what the simulators need. Built once, then read only.

An image is named after its recipe and the week it was built in: package lists must not be older than the archive they name.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from tests.lab.lab import cache
from tests.lab.releases import RELEASES, Release

BASE = (
    *("apt", "systemd", "systemd-sysv", "dbus", "openssh-server", "sudo", "procps", "kmod", "netbase"),
    *("python3", "python3-apt", "ca-certificates", "iproute2", "iputils-ping", "lldpd"),
)
SIMULATORS = (
    "snmpd",
    "snmp",
    "python3-pymodbus",
    "python3-serial-asyncio",
    "ibsim-utils",
    "opensm",
    "infiniband-diags",
)
MASKED = (
    *("console-getty.service", "getty@.service", "systemd-networkd-wait-online.service", "systemd-timesyncd.service"),
    *("apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "e2scrub_reap.service"),
)
# which has the keys of archives that Debian 12 has not
KEYRINGS_SUITE = "trixie"
SOURCES = """\
Types: deb
URIs: {release.archive}
Suites: {suites}
Components: {release.components}
Signed-By: {release.keyring}
"""
# documentation is half of what a package writes, and nobody reads it in a lab
DPKG = """\
force-unsafe-io
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
"""
SSHD = """\
UseDNS no
PermitRootLogin prohibit-password
MaxStartups 100:30:200
MaxSessions 100
"""
# a switch names its ports; neighbours are known within seconds of a change
LLDPD = """\
configure lldp portidsubtype ifname
configure lldp tx-interval 5
"""
# hosts share the machine's clock: chronyd measures and serves, and sets nothing
CHRONY = """\
[Unit]
ConditionCapability=

[Service]
ExecStart=
ExecStart=!/usr/sbin/chronyd $DAEMON_OPTS -x
"""


def base_image(name: str) -> Path:
    """Return the folder of a release's base image. It is built if this week's is not there."""
    release = RELEASES[name]
    recipe = "\n".join((str(release), *BASE, *MASKED, DPKG, SSHD, LLDPD, CHRONY))
    return _built(release.suites[0], recipe, lambda folder: _build_base(release, folder))


def simulators_layer(base: Path) -> Path:
    """Return the folder with what the simulators need on top of a base."""
    return _built("simulators", "\n".join((base.name, *SIMULATORS)), lambda folder: _build_layer(base, folder))


def _built(kind: str, recipe: str, build: Callable[[Path], None]) -> Path:
    digest = hashlib.sha256(recipe.encode()).hexdigest()[:8]
    year, week, _ = datetime.now(UTC).isocalendar()
    image = cache() / f"{kind}-{year}w{week:02}-{digest}"
    cache().mkdir(parents=True, exist_ok=True)
    with (cache() / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two labs may come up at once
        if not image.exists():
            partial = image.with_suffix(".partial")
            shutil.rmtree(partial, ignore_errors=True)
            build(partial)
            partial.rename(image)
    return image


def _build_base(release: Release, folder: Path) -> None:
    options = [f"--dpkgopt={line}" for line in DPKG.splitlines()]
    archive = release.archive or _mirror()
    with tempfile.TemporaryDirectory() as keys:
        if release.keyring:
            options.append(f"--keyring={_fetched_keyring(release, Path(keys))}")
        _logged(
            "mmdebstrap",
            "--variant=minbase",
            "--format=directory",
            *options,
            f"--include={','.join((*BASE, *release.packages))}",
            release.suites[0],
            folder,
            *(f"deb {archive} {suite} {release.components}" for suite in release.suites),
        )
    for path, text in (
        ("etc/dpkg/dpkg.cfg.d/lab", DPKG),
        ("etc/ssh/sshd_config.d/lab.conf", SSHD),
        ("etc/lldpd.d/lab.conf", LLDPD),
        ("etc/systemd/system/chrony.service.d/lab.conf", CHRONY),
        ("etc/machine-id", ""),
        ("etc/resolv.conf", resolver()),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).unlink(missing_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    for key in (folder / "etc/ssh").glob("ssh_host_*"):
        key.unlink()  # a host's keys are its own
    for unit in MASKED:
        (folder / "etc/systemd/system" / unit).symlink_to("/dev/null")
    _trust(folder)
    _package_sources(release, folder)
    _logged("chroot", folder, "apt-get", "update", "-qq")


def _build_layer(base: Path, folder: Path) -> None:
    """Install the simulators' packages over a base; what was written is the layer."""
    work = folder.with_suffix(".work")
    root = folder.with_suffix(".root")
    for path in (folder, work, root):
        path.mkdir()
    # starting services is the host's own affair, at its boot; mounts end with the namespace
    script = f"""
    mount -t overlay overlay -o lowerdir={base},upperdir={folder},workdir={work} {root}
    mount -t proc proc {root}/proc
    printf '#!/bin/sh\\nexit 101\\n' >{root}/usr/sbin/policy-rc.d
    chmod +x {root}/usr/sbin/policy-rc.d
    chroot {root} env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends {" ".join(SIMULATORS)}
    chroot {root} apt-get clean
    rm {root}/usr/sbin/policy-rc.d
    chroot {root} systemctl disable -q snmpd.service opensm.service
    """
    _logged("unshare", "--mount", "--propagation", "private", "sh", "-euc", script)
    for path in (work, root):
        shutil.rmtree(path)


def _mirror() -> str:
    """Return the archive from which this machine installs."""
    for path in sorted(Path("/etc/apt/sources.list.d").glob("*.sources")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("URIs:") and "debian" in line:
                return line.split()[1]
    for line in Path("/etc/apt/sources.list").read_text(encoding="utf-8").splitlines():
        if line.startswith("deb ") and "debian" in line:
            return next(word for word in line.split() if "://" in word)
    raise SystemExit("this machine's package sources name no Debian archive to make hosts from")


def _fetched_keyring(release: Release, folder: Path) -> Path:
    """Return the keys of another archive as Debian packages them. Debian 12 does not, so they come from the next release."""
    package = Path(release.keyring).stem
    _logged("mmdebstrap", "--variant=extract", f"--include={package}", KEYRINGS_SUITE, folder, _mirror())
    return folder / release.keyring.lstrip("/")


def _package_sources(release: Release, folder: Path) -> None:
    """Let hosts install from the release's archive; Debian hosts as this machine does. Its settings for fetching are theirs."""
    apt = folder / "etc/apt"
    own = Path("/etc/apt/sources.list.d/debian.sources")
    if release.archive:
        (apt / "sources.list").unlink()
        sources = SOURCES.format(release=release, suites=" ".join(release.suites))
        (apt / "sources.list.d" / "ubuntu.sources").write_text(sources, encoding="utf-8")
    elif own.exists():
        (apt / "sources.list").unlink(missing_ok=True)
        shutil.copy(own, apt / "sources.list.d")
    for settings in Path("/etc/apt/apt.conf.d").glob("99*"):
        shutil.copy(settings, apt / "apt.conf.d")
    shutil.copytree("/usr/share/keyrings", folder / "usr/share/keyrings", dirs_exist_ok=True)


def _trust(folder: Path) -> None:
    """Let hosts trust the certificate authorities that the machine's owner added."""
    own = list(Path("/usr/local/share/ca-certificates").glob("*.crt"))
    for path in own:
        shutil.copy(path, folder / "usr/local/share/ca-certificates")
    if own:
        _logged("chroot", folder, "update-ca-certificates")


def resolver() -> str:
    """Return the machine's name servers at addresses that hosts can reach, not a stub on the loopback address."""
    for path in (Path("/etc/resolv.conf"), Path("/run/systemd/resolve/resolv.conf")):
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if "nameserver" in text and "nameserver 127." not in text:
            return text
    raise SystemExit("the machine's name server is on its loopback address, where the lab's hosts do not reach it")


def _logged(*command: object) -> None:
    """Run a long command; what it says is kept beside the images and shown if it fails."""
    log = cache() / "build.log"
    with log.open("w", encoding="utf-8") as out:
        done = subprocess.run(
            [str(c) for c in command],
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            check=False,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
        )
    if done.returncode != 0:
        print(log.read_text(encoding="utf-8")[-2000:], file=sys.stderr)
        raise SystemExit(f"building the lab's image failed at `{command[0]}`; all of it is in {log}")
