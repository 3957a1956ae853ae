"""Write the configuration of Ethernet switches from the cable schedule and the addresses of the design.

A file for each switch, as `nv config patch` of Cumulus Linux takes it: ports with their cables, bundles, VLANs, routing, and RoCE where
the design has it. The file of --services has lists of addresses under ntp, dns and syslog. Names on site go into a table of
drawn, device and ports (docs/how-to/switches.md).

Example:
    clusterwright fabric configure --out switches
    clusterwright fabric configure --out switches --unit pod-001 --services services.yaml
    clusterwright fabric configure --switch pod-001-leaf-01 --json

"""

from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.commands.options import JsonOption, SiteOption
from clusterwright.found_links import NamesOption, UnitOption
from clusterwright.output import print_json, say
from clusterwright.switch_files import (
    ServicesOption,
    SwitchOption,
    drawn_switches,
    services_of,
    write_configurations,
)
from schedule.errors import InputError


def configure(
    out: Annotated[Path | None, Option("--out", help="Write a file for each switch.", metavar="FOLDER")] = None,
    switch: SwitchOption = None,
    unit: UnitOption = "site",
    names: NamesOption = None,
    services: ServicesOption = None,
    as_json: JsonOption = False,
    site: SiteOption = None,
) -> None:
    from steps.switches.designed import unjoined
    from steps.switches.nvue import document, text

    if out is None and not as_json:
        raise InputError("nothing says where the files go", hint="--out FOLDER, or --json")
    asked = services_of(services)
    switches = drawn_switches(site, unit=unit, names=names, only=switch)
    if out:
        files = list(write_configurations(out, ((each.name, text(each, asked)) for each in switches)))
        say(f"{out}: {len(files):,} switches")
    apart = unjoined(switches)
    if as_json:
        print_json({"switches": {each.name: document(each, asked) for each in switches}, "unjoined": apart})
    if apart:
        say(
            f"no cable joins {', '.join(apart)}: a server that loses one of its ports may lose neighbours on the other switch"
        )
    if not (asked.ntp and asked.dns and asked.syslog):
        say("some servers for time, names or logs are not stated: --services")
