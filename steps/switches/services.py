"""What every switch asks on the site: addresses of time, name and log servers, read from a file."""

from __future__ import annotations

from ipaddress import IPv4Address
from pathlib import Path

from steps.catalog.schema import Closed
from steps.validation import validated
from steps.yaml_lines import load


class SiteServers(Closed):
    """Servers by their addresses. One that is not stated is not configured."""

    ntp: tuple[IPv4Address, ...] = ()
    dns: tuple[IPv4Address, ...] = ()
    syslog: tuple[IPv4Address, ...] = ()


def read_services(path: Path) -> SiteServers:
    """Return the services that a file states. Raise InputError with its line for anything else."""
    data, lines = load(path)
    return validated(SiteServers, data, lines, str(path))
