"""`clusterwright init`: a commented site file that can be planned as it stands."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Annotated

import typer

from steps.errors import InputError


def init(
    folder: Annotated[Path, typer.Argument(help="Where the site's folder is made.")],
    preset: Annotated[str, typer.Option(help="What kind of cluster.")] = "superpod-1su",
    start: Annotated[str | None, typer.Option(help="The first day, 2026-11-23; today if not given.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a site.yaml that is there.")] = False,
) -> None:
    """Write a commented site.yaml for a preset, and an inventory where there is a host to name."""
    from datetime import UTC, date, datetime

    from clusterwright.output import say
    from clusterwright.site_template import inventory_text, site_text
    from steps.catalog.loader import read_roles
    from steps.design.preset import read_preset
    from steps.design.site import site_slug

    chosen = read_preset(preset)
    if start is not None:
        try:
            first = date.fromisoformat(start)
        except ValueError:
            raise InputError(f"{start!r} is not a date", hint="write 2026-11-23") from None
    else:
        first = datetime.now(UTC).date()
    path = folder / "site.yaml"
    if path.exists() and not force:
        raise InputError(f"{path} is already there", hint="--force overwrites it")
    folder.mkdir(parents=True, exist_ok=True)
    signing = [slug for slug, role in read_roles().items() if role["signs"]]
    crews = [slug for slug, role in read_roles().items() if not role["signs"]]
    account = getpass.getuser()
    text = site_text(
        chosen,
        name=site_slug(folder.resolve().name),
        start=first,
        account=account,
        signing=signing,
        working=crews,
    )
    path.write_text(text, encoding="utf-8")
    if chosen.name == "localhost":
        inventory = folder / "inventory" / "hosts.yml"
        inventory.parent.mkdir(exist_ok=True)
        inventory.write_text(inventory_text(), encoding="utf-8")
    say(f"wrote {path}; read it through, then `clusterwright plan --site {folder}`")
