"""`clusterwright design`: the dossier of a site or a preset, side by side, as page or as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clusterwright.commands.options import JsonOption
from steps.errors import InputError

if TYPE_CHECKING:
    from steps.design.design import Design, ImpossibleDesignError


def design(
    what: Annotated[
        list[str] | None,
        typer.Argument(help="site.yaml, or with --compare the presets.", metavar="[SITE.YAML | PRESET...]"),
    ] = None,
    preset: Annotated[
        str | None, typer.Option("--preset", help="Design a preset, without a site.", metavar="NAME")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Set a figure or choice: nodes=512, fabric.radix=64.", metavar="NAME=VALUE"),
    ] = None,
    compare: Annotated[bool, typer.Option("--compare", help="Set presets or site files side by side.")] = False,
    as_json: JsonOption = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with plots.", metavar="FILE")] = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="Write bill.csv, cables.csv, ports.csv and addresses.csv.", metavar="FOLDER"),
    ] = None,
    temperatures: Annotated[
        Path | None,
        typer.Option("--temperatures", help="CSV of hourly outside temperatures, for free cooling.", metavar="FILE"),
    ] = None,
    figures: Annotated[
        bool, typer.Option("--figures", help="List every figure with its unit, value and source.")
    ] = False,
) -> None:
    """Show what follows from a design: fabric, power, cooling, storage, reliability, money, and what is wrong with it."""
    from clusterwright import design_view
    from clusterwright.output import print_json, say
    from steps.design.design import ImpossibleDesignError
    from steps.design.dossier import dossier_as_json, dossier_of, findings_as_json

    try:
        designs = [_design(one, settings or []) for one in _named(what or [], preset, compare=compare)]
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
        from clusterwright.design_page import write_page

        write_page(dossier, html)
        say(f"{html}: the design of {dossier.design.preset.title}")
    if csv:
        for path, rows in design_view.write_tables(dossier, csv):
            say(f"{path}: {rows:,} rows")
    if as_json:
        print_json(dossier_as_json(dossier) | ({"free_cooling": hours._asdict()} if hours else {}))
    elif not html and not csv:
        design_view.print_dossier(dossier, hours)
    if not dossier.buildable:
        if html or csv:
            design_view.print_findings(findings_as_json(dossier.findings))
        raise typer.Exit(1)


def _named(what: list[str], preset: str | None, *, compare: bool) -> list[str]:
    """Give the presets and site files a command means; one of the two ways of naming a design, not both."""
    if compare:
        names = [*what, *([preset] if preset else [])]
        if len(names) < 2:
            raise InputError(
                "--compare sets at least two designs side by side",
                hint="clusterwright design --compare superpod-1su h100-10k",
            )
        return names
    if preset and what:
        raise InputError(f"both a preset and {what[0]!r} are given", hint="give one of them, or --compare")
    if len(what) > 1:
        raise InputError(f"{len(what)} designs are given", hint="--compare sets them side by side")
    return [preset] if preset else [what[0] if what else ""]


def _design(name: str, settings: list[str]) -> Design:
    """Give the design of a site file or folder, of the site around here (no name), or of a preset."""
    from clusterwright.where import find_site
    from steps.catalog.loader import read_roles
    from steps.design.design import design_of, design_of_preset
    from steps.design.figures import parsed, plain_name
    from steps.design.site import read_site

    given = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"{text!r} sets nothing", hint="write --set nodes=512")
        plain = plain_name(key)
        given[plain] = parsed(plain, value)
    if name and "/" not in name and not name.endswith((".yaml", ".yml")) and not Path(name).is_dir():
        return design_of_preset(name, given, beside=Path.cwd())
    folder = find_site(Path(name) if name else None)
    site = read_site(folder, {slug: str(role["title"]) for slug, role in read_roles(folder).items()})
    return design_of(site.model_copy(update={"overrides": site.overrides | given}), folder)


def _impossible(error: ImpossibleDesignError, *, as_json: bool) -> None:
    """Show every figure with which nothing can be counted, and end as bad input does."""
    from clusterwright import design_view
    from clusterwright.output import print_json, say
    from steps.design.dossier import findings_as_json

    found = findings_as_json(tuple(error.findings))
    if as_json:
        print_json({"buildable": False, "findings": found})
    else:
        if error.place:
            say(f"{error.place}:")
        design_view.print_findings(found)
    raise typer.Exit(2)
