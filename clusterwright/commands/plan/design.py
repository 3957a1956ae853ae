"""Show what follows from a design, and what is wrong with it.

That is fabric, power, cooling, storage, reliability and money. Without a name it is the design of the site around here.

Example:
    clusterwright design --preset superpod-4su --set nodes=96
    clusterwright design --compare superpod-4su meta-24k xai-100k
    clusterwright design site.yaml --html design.html

"""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from clusterwright import design_view
from clusterwright.commands.options import JsonOption
from clusterwright.output import print_json, say
from clusterwright.planning import site_at
from clusterwright.where import find_site
from schedule.errors import InputError
from steps.design.design import Design, ImpossibleDesignError, design_of, design_of_preset
from steps.design.dossier import dossier_as_json, dossier_of
from steps.design.figures import parsed, plain_name


def design(
    what: Annotated[
        list[str] | None,
        Argument(help="site.yaml, or with --compare the presets.", metavar="[SITE.YAML | PRESET...]"),
    ] = None,
    preset: Annotated[str | None, Option(help="Design a preset, without a site.", metavar="NAME")] = None,
    settings: Annotated[
        list[str] | None,
        Option("--set", help="Set a figure or choice: nodes=512, fabric.radix=64.", metavar="NAME=VALUE"),
    ] = None,
    compare: Annotated[bool, Option("--compare", help="Set presets or site files side by side.")] = False,
    as_json: JsonOption = False,
    html: Annotated[Path | None, Option(help="Write a page with plots.", metavar="FILE")] = None,
    csv: Annotated[
        Path | None,
        Option(help="Write bill.csv, cables.csv, ports.csv and addresses.csv.", metavar="FOLDER"),
    ] = None,
    temperatures: Annotated[
        Path | None,
        Option(help="CSV of hourly outside temperatures, for free cooling.", metavar="FILE"),
    ] = None,
    figures: Annotated[bool, Option("--figures", help="List every figure with its unit, value and source.")] = False,
) -> None:
    try:
        names = _named(what or [], preset, compare=compare)
        designs = [_design(name, settings or []) for name in names]
    except ImpossibleDesignError as error:
        _impossible(error, as_json=as_json)
    dossiers = [dossier_of(design) for design in designs]
    if compare:
        if as_json:
            print_json({"designs": [dossier_as_json(d) for d in dossiers]})
        else:
            design_view.print_comparison(dossiers)
        return
    dossier = dossiers[0]
    hours = design_view.free_cooling(dossier, temperatures) if temperatures else None
    if figures:
        design_view.print_figures(dossier.design, as_json=as_json)
        return
    if html:
        from clusterwright.design_page import write_page  # the extra `report` draws it, and --html alone needs it

        write_page(dossier, html)
        say(f"{html}: the design of {dossier.design.preset.title}")
    if csv:
        for path, rows in design_view.write_tables(dossier, csv):
            say(f"{path}: {rows:,} rows")
    if as_json:
        print_json(dossier_as_json(dossier) | ({"free_cooling": hours} if hours else {}))
    elif not html and not csv:
        design_view.print_dossier(dossier, hours)
    if not dossier.buildable:
        if html or csv:
            design_view.print_findings(dossier.findings)
        raise typer.Exit(1)


def _named(
    what: list[str],
    preset: str | None,
    *,
    compare: bool,
) -> list[str]:
    """Return the presets and site files a command means; one of the two ways of naming a design, not both."""
    if compare:
        names = [*what, *([preset] if preset else [])]
        if len(names) < 2:
            raise InputError(
                "--compare sets at least two designs side by side",
                hint="clusterwright design --compare superpod-1su h100-10k",
            )
        return names
    if preset and what:
        raise InputError(f"both a preset and {what[0]!r} are named", hint="name one of them, or --compare")
    if len(what) > 1:
        raise InputError(f"{len(what)} designs are named", hint="--compare sets them side by side")
    return [preset] if preset else [what[0] if what else ""]


def _design(name: str, settings: list[str]) -> Design:
    """Return the design of a site file or folder, of the site around here (no name), or of a preset."""
    wanted = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"{text!r} sets nothing", hint="write --set nodes=512")
        figure = plain_name(key)
        wanted[figure] = parsed(figure, value)
    is_path = "/" in name or name.endswith((".yaml", ".yml")) or Path(name).is_dir()
    if name and not is_path:
        return design_of_preset(name, wanted, beside=Path.cwd())
    folder = find_site(Path(name) if name else None)
    site = site_at(folder)
    return design_of(site.model_copy(update={"overrides": site.overrides | wanted}), folder)


def _impossible(error: ImpossibleDesignError, *, as_json: bool) -> None:
    """Show every figure with which nothing can be counted, and end as bad input does."""
    if as_json:
        print_json({"buildable": False, "findings": error.findings})
    else:
        if error.place:
            say(f"{error.place}:")
        design_view.print_findings(error.findings)
    raise typer.Exit(2)
