"""Where the inventory comes from: a file or folder of the site, or NetBox, whose answer is kept in a file beside it.

Ansible always reads a file, and an engine the one that the last `plan` or `inventory` left: what it runs on does not
change under an adopted plan because somebody edits NetBox.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from steps.catalog.loader import read_roles
from steps.design.site import Inventory, read_site
from steps.errors import InputError, Place, UnreachableError


def current_inventory(folder: Path, inventory: Inventory, environment: Mapping[str, str] = os.environ) -> Path:
    """Give the file or folder that Ansible reads, after NetBox was asked where it is the source."""
    path = folder / inventory
    source = inventory.netbox
    if source is None:
        return path
    token = environment.get(source.token_env, "").strip()
    if not token:
        raise InputError(
            f"the inventory is in NetBox, and the environment has no {source.token_env}",
            hint=f"export {source.token_env} with a token that may view devices; it is stored nowhere",
            place=Place("site.yaml", None, "inventory.netbox.token_env"),
        )
    from flows.ansible.netbox import netbox_inventory

    _keep(path, json.dumps(netbox_inventory(source, token), indent=1) + "\n")
    return path


def kept_inventory(folder: Path) -> Path | None:
    """Give the file or folder that the last plan left, None where the site has no inventory; one that is gone is refused."""
    roles = {slug: str(role["title"]) for slug, role in read_roles(folder).items()}
    inventory = read_site(folder, roles).inventory
    if inventory is None:
        return None
    path = folder / inventory
    if not path.exists():
        raise UnreachableError(
            f"the inventory {path} is not there", hint="`clusterwright inventory` asks NetBox for it"
        )
    return path


def _keep(path: Path, text: str) -> None:
    """Put the text there as a whole; a file that says the same is left alone."""
    try:
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return
        path.parent.mkdir(exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise UnreachableError(f"what NetBox said cannot be kept in {path}: {error.strerror}") from None
