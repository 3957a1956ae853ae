"""The configuration of Ethernet switches: as it is drawn, and as it was found."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.options import JsonOption, SiteOption
from clusterwright.found_links import NamesOption, UnitOption
from clusterwright.output import print_json, say, table
from clusterwright.switch_files import (
    ServicesOption,
    SwitchOption,
    drawn_switches,
    read_back,
    services_of,
    write_configurations,
)
from schedule.errors import InputError, NotSatisfiedError, Place
from steps.switches.comparing import Difference, NoConfigurationError, differences


def configure(
    out: Annotated[Path | None, Option("--out", help="Write a file for each switch.", metavar="FOLDER")] = None,
    switch: SwitchOption = None,
    unit: UnitOption = "site",
    names: NamesOption = None,
    services: ServicesOption = None,
    as_json: JsonOption = False,
    site: SiteOption = None,
) -> None:
    """Write the configuration of Ethernet switches from the cable schedule and the addresses of the design.

    A file for each switch, as `nv config patch` of Cumulus Linux takes it: ports with their cables, bundles, VLANs, routing, and RoCE where
    the design has it. The file of --services has lists of addresses under ntp, dns and syslog. Names on site go into a table of
    drawn, device and ports (docs/how-to/switches.md).

    Example:
        clusterwright fabric configure --out switches
        clusterwright fabric configure --out switches --unit pod-001 --services services.yaml
        clusterwright fabric configure --switch pod-001-leaf-01 --json

    """
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


def drift(
    found: Annotated[list[Path], Argument(help="Files of what was read, or folders of them.", metavar="FOUND...")],
    switch: SwitchOption = None,
    unit: UnitOption = "site",
    names: NamesOption = None,
    services: ServicesOption = None,
    as_json: JsonOption = False,
    site: SiteOption = None,
) -> None:
    """Compare the configuration that Ethernet switches have with the one that is drawn, setting by setting.

    FOUND are files of `nv config show -o yaml`, or folders of them, each with the name of its switch. Other options are those of `fabric
    configure`, as the configuration was rendered. What is not drawn counts too: a setting that somebody made by hand.

    Example:
        clusterwright fabric drift found/ --unit pod-001 --services services.yaml
        clusterwright fabric drift pod-001-leaf-01.yaml --switch pod-001-leaf-01 --json

    """
    from steps.switches.nvue import document

    asked = services_of(services)
    drawn = {each.name: each for each in drawn_switches(site, unit=unit, names=names, only=switch)}
    differing: list[Difference] = []
    read: dict[str, Path] = {}
    for path, settings in read_back(found):
        name = path.stem
        if name not in drawn:
            raise InputError(
                f"no drawn switch is called {name}", hint="--unit or --switch say which are", place=Place(str(path))
            )
        if name in read:
            raise InputError(f"{name} is also in {read[name]}", place=Place(str(path)))
        read[name] = path
        try:
            differing += differences(name, document(drawn[name], asked), settings)
        except NoConfigurationError as error:
            hint = "it is what `nv config show -o yaml` prints"
            raise InputError(f"this is no configuration: {error}", hint=hint, place=Place(str(path))) from None
    unread = [name for name in drawn if name not in read]
    if as_json:
        print_json({"read": len(read), "differences": differing, "unread": unread})
    else:
        table(("switch", "setting", "drawn", "found"), differing, empty=f"{len(read):,} switches are as drawn")
    if differing or unread:
        raise NotSatisfiedError(
            f"differences: {len(differing):,}, switches not read: {len(unread):,}",
            hint="render with `fabric configure`, apply with step 048; what is only found goes with `nv unset`",
        )
