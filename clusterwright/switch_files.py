"""The files of `fabric configure` and `fabric drift`: what is drawn for each switch, what was read, and what a site's switches ask."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import yaml
from typer import Option

from clusterwright.planning import read_all
from clusterwright.text_file import files_of, writing
from clusterwright.where import find_site
from ledger.evidence.store import content_of
from schedule.errors import InputError
from steps.cabling.schedule_file import read_names
from steps.switches.services import SiteServers, read_services
from steps.yaml_lines import load

if TYPE_CHECKING:
    from steps.switches.switch import Switch

ServicesOption = Annotated[
    Path | None, Option("--services", help="Addresses of ntp, dns and syslog servers.", metavar="YAML")
]
SwitchOption = Annotated[
    list[str] | None, Option("--switch", help="Only this switch; may be repeated.", metavar="NAME")
]


def services_of(path: Path | None) -> SiteServers:
    """Return the servers that switches ask; none without a file."""
    return read_services(path) if path else SiteServers()


def drawn_switches(
    site: Path | None,
    *,
    unit: str,
    names: Path | None,
    only: Iterable[str] | None,
) -> "list[Switch]":
    """Return the Ethernet switches of a site's design, or of a pod, or those with these names."""
    from steps.switches.designed import switches_of  # numpy, which other commands start without

    _, design, _ = read_all(find_site(site))
    found = switches_of(design, read_names(content_of(names, str(names)), str(names)) if names else ())
    if unit != "site":
        found = [switch for switch in found if switch.drawn.startswith(f"{unit}-")]
    if not found:
        raise InputError(
            f"the design has no Ethernet switch at {unit}", hint="--unit names the site or a pod, as pod-001"
        )
    if not only:
        return found
    by_name = {switch.name: switch for switch in found}
    if unknown := [name for name in only if name not in by_name]:
        raise InputError(
            f"no Ethernet switch is called {unknown[0]}", hint="`fabric configure --json` lists all that there are"
        )
    return [by_name[name] for name in only]


def write_configurations(folder: Path, documents: Iterable[tuple[str, str]]) -> Iterator[Path]:
    """Write a file for each switch. Yield its path."""
    with writing(folder, "--out names a folder"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in documents:
            path = folder / f"{name}.yaml"
            path.write_text(text, encoding="utf-8")
            yield path


def read_back(paths: Iterable[Path]) -> Iterator[tuple[Path, object]]:
    """Yield the files of what was read, each with the name of its switch, and what they say."""
    hint = "name files of `nv config show -o yaml`, or folders of them"
    for file in files_of(paths, InputError("no file of what was read", hint=hint)):
        yield file, load(file, yaml.CSafeLoader)[0]
