"""What of an inventory decides which code runs, or as whom. Ansible itself reads it, so that nothing is read otherwise than in a run.

Known to be no code are hosts and groups, addresses and numbers. All else is taken for code: an interpreter, a connection, an
account, arguments of a program, a template, and the variables of roles, whose words may become commands.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import re
from pathlib import Path
from typing import Any

from ansible.inventory.manager import InventoryManager
from ansible.plugins.inventory import BaseInventoryPlugin
from ansible.template import is_trusted_as_template
from ansible.vars.plugins import get_vars_from_inventory_sources

from flows.runs.inventory.stated import Unopened

OF_ANSIBLE = "ansible_"
ADDRESS = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:%-]*")
"""A host's name or address. It begins with no sign that a program would take for an option, and names no account."""

PLAIN = re.compile(r"[A-Za-z0-9][\w .,:/?=&%-]*")
MAC = re.compile(r"[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5,19}")
DATA = {
    "ansible_host": ADDRESS,
    "ansible_port": re.compile(r"[0-9]+"),
    "bmc_address": ADDRESS,
    "serial_number": PLAIN,
    "netbox_url": PLAIN,
    "inventory_source": PLAIN,
}
"""Variables that are known to be data, and how their values look then."""

PLACES = ("inventory_file", "inventory_dir")
"""What Ansible itself says of a host: where it is named."""


def statements(source: str, _: None) -> dict[str, Any]:
    """Return each statement that may be code (whose it is, the variable, its value), and those that hosts make together."""
    loader = Unopened(lambda path: {path.name: _digest(path)})  # a vaulted file is one statement, its digest
    configured: list[str] = []
    _noted(configured)
    inventory = InventoryManager(loader=loader, sources=[source])
    said = [("inventory", Path(path).name, _digest(Path(path))) for path in configured]
    for group in inventory.groups.values():
        of_files = get_vars_from_inventory_sources(loader, [source], [group], "all")
        said += [(f"group {group.name}", *one) for one in _code(group.vars | of_files, source)]
    own = set()
    for host in inventory.get_hosts("all"):
        of_files = get_vars_from_inventory_sources(loader, [source], [host], "all")
        code = _code(host.vars | of_files, source)
        if not ADDRESS.fullmatch(host.name):
            code.append(("name", host.name))
        own.add(json.dumps(code))  # hosts that say the same count once: another such host says nothing new
    together = [json.loads(one) for one in sorted(own - {"[]"})]
    said += [("a host", *one) for one in {json.dumps(one): one for code in together for one in code}.values()]
    return {"said": sorted(said, key=json.dumps), "together": together}


def _noted(paths: list[str]) -> None:
    """Let Ansible note each file that configures a plugin, as `constructed` is: all of it may be templates."""
    read = BaseInventoryPlugin._read_config_data  # noqa: SLF001  no other name of Ansible says which plugin took a file

    def reading(plugin: Any, path: str) -> Any:
        found = read(plugin, path)
        paths.append(path)
        return found

    BaseInventoryPlugin._read_config_data = reading  # noqa: SLF001  the same


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _code(variables: dict[str, Any], source: str) -> list[tuple[str, Any]]:
    """Return the variables that may be code, with their values as JSON has them."""
    return [
        (str(name), _as_json(value))
        for name, value in sorted(variables.items(), key=lambda one: str(one[0]))
        if not (name in PLACES and _is_within(str(value), source)) and not _is_data(str(name), value)
    ]


def _is_within(path: str, source: str) -> bool:
    return path in {source, str(Path(source).parent)} or path.startswith(f"{source}/")


def _is_data(name: str, value: Any) -> bool:
    if name in DATA:
        return isinstance(value, str | int) and DATA[name].fullmatch(str(value)) is not None
    return not name.startswith(OF_ANSIBLE) and _is_number_or_address(value)


def _is_number_or_address(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_number_or_address, value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return True
    if not isinstance(value, str):
        return False
    try:
        ipaddress.ip_interface(value)
    except ValueError:
        return MAC.fullmatch(value) is not None
    return True


def _as_json(value: Any) -> Any:
    """Return a value as JSON has it. A text that Ansible would run as a template is another than the same words in plain."""
    if isinstance(value, dict):
        return {str(_as_json(key)): _as_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set):
        return [_as_json(one) for one in value]
    if isinstance(value, bool | int | float) or value is None:
        return value
    if isinstance(value, str):
        return str(value) if "{" not in value or is_trusted_as_template(value) else ["plain", str(value)]
    return ["vaulted", getattr(value, "_ciphertext", None) or repr(value)]
