"""Parts of an inventory: inventories of some hosts only, with their groups, and what the inventory itself states of both.

Variables in files beside it are in none. What is encrypted stays so.
"""

from __future__ import annotations

from typing import Any

import yaml
from ansible.inventory.group import Group
from ansible.inventory.host import Host
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.yaml.dumper import AnsibleDumper
from ansible.template import is_trusted_as_template

ANSIBLES_OWN = {"inventory_file", "inventory_dir"}
"""What Ansible states of each host by itself."""

Values = dict[str, Any]


class Unsafe(str):
    """A text that Ansible must not take for a template."""

    __slots__ = ()


def dumper(*args: Any, **options: Any) -> Any:
    """Return what writes values as Ansible reads them. Its own would write a text that is no template like one that is."""
    made = AnsibleDumper(*args, **options)
    made.yaml_representers = made.yaml_representers | {Unsafe: _unsafe}
    return made


def parts(source: str, slices: list[list[str]]) -> list[Values]:
    """Return for each list of hosts the text of its inventory, and the groups in it."""
    inventory = InventoryManager(loader=DataLoader(), sources=[source])
    found = []
    for names in slices:
        hosts = [inventory.hosts[name] for name in names if name in inventory.hosts]
        groups = {group.name: group for host in hosts for group in host.get_groups()}
        text = yaml.dump({"all": _whole(hosts, groups)}, Dumper=dumper, default_flow_style=False)
        found.append({"text": text, "groups": sorted(groups)})
    return found


def _whole(hosts: list[Host], groups: dict[str, Group]) -> Values:
    stated = {host.name: {name: _safe(host.vars[name]) for name in host.vars.keys() - ANSIBLES_OWN} for host in hosts}
    inside = {name: _group(group, stated, groups) for name, group in groups.items() if name not in {"all", "ungrouped"}}
    return _group(groups["all"], stated, groups) | {"hosts": stated, "children": inside} if groups else {}


def _group(group: Group, hosts: Values, groups: dict[str, Group]) -> Values:
    priority = {} if group.priority == 1 else {"ansible_group_priority": group.priority}
    return {
        "vars": {name: _safe(value) for name, value in group.vars.items()} | priority,
        "hosts": {host.name: {} for host in group.hosts if host.name in hosts},
        "children": {child.name: {} for child in group.child_groups if child.name in groups},
    }


def _unsafe(writer: Any, text: Unsafe) -> yaml.Node:
    node: yaml.Node = writer.represent_scalar("!unsafe", str(text))
    return node


def _safe(value: Any) -> Any:
    """Return a value in which texts that are no templates are marked so, as they were in the inventory."""
    if isinstance(value, dict):
        return {name: _safe(inside) for name, inside in value.items()}
    if isinstance(value, list | tuple):
        return [_safe(inside) for inside in value]
    is_text = isinstance(value, str) and "{" in value
    return Unsafe(value) if is_text and not is_trusted_as_template(value) else value
