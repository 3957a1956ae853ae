"""Compare the configuration that Ethernet switches have with the one that is drawn, setting by setting.

FOUND are files of `nv config show -o yaml`, or folders of them, each with the name of its switch. Other options are those of `fabric
configure`, as the configuration was rendered. What is not drawn counts too: a setting that somebody made by hand.

Example:
    clusterwright fabric drift found/ --unit pod-001 --services services.yaml
    clusterwright fabric drift pod-001-leaf-01.yaml --switch pod-001-leaf-01 --json

"""

from pathlib import Path
from typing import Annotated

from typer import Argument

from clusterwright.commands.options import JsonOption, SiteOption
from clusterwright.found_links import NamesOption, UnitOption
from clusterwright.output import print_json, table
from clusterwright.switch_files import ServicesOption, SwitchOption, drawn_switches, read_back, services_of
from schedule.errors import InputError, NotSatisfiedError, Place
from steps.switches.comparing import Difference, NoConfigurationError, differences


def drift(
    found: Annotated[list[Path], Argument(help="Files of what was read, or folders of them.", metavar="FOUND...")],
    switch: SwitchOption = None,
    unit: UnitOption = "site",
    names: NamesOption = None,
    services: ServicesOption = None,
    as_json: JsonOption = False,
    site: SiteOption = None,
) -> None:
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
        print_json({"read": len(read), "differences": [each._asdict() for each in differing], "unread": unread})
    else:
        table(("switch", "setting", "drawn", "found"), differing, empty=f"{len(read):,} switches are as drawn")
    if differing or unread:
        raise NotSatisfiedError(
            f"differences: {len(differing):,}, switches not read: {len(unread):,}",
            hint="render with `fabric configure`, apply with step 048; what is only found goes with `nv unset`",
        )
