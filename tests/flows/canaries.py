"""Canary values: secrets that nobody else uses, a playbook that says them in every way, and a search for what is left of them."""

from __future__ import annotations

import base64
import gzip
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

import psutil
from ansible.constants import DEFAULT_VAULT_ID_MATCH
from ansible.parsing.vault import VaultLib, VaultSecret

VAULT_PASSWORD = "of-the-canaries"

CANARIES = {
    "inventory": "canary-inventory-\"q'/4c1f",
    "group": "canary group's 9d2e",
    "nested": "canary-nested-77ab",
    "templated": "canary-templated-51c0",
    "vaulted": "canary-vaulted-0b7e",
    "vault_file": "canary-vault-file-6a11",
    "included_vault": "canary-included-vault-3f90",
    "role": "canary-role-8e55",
    "task": "canary-task-variable-c3d7",
    "environment": "canary-environment-2b6f",
    "shell": "canary-shell-environment-9f0a",
    "set_fact": "canary-set-fact-d810",
    "slurped": "canary-slurped-91be",
    "piped": "canary-piped-6d02",
    "other_host": "canary-other-host-77aa",
    "registered": "canary-registered-47e2",
    "result": "canary-module-result-5e5e",
    "item": "canary-item-18bc",
    "literal": "canary-literal-e0f3",
    "unicode": "kanarienvogel-ä-ß-71d6",
    "pin": "4815162342",
    "key_line_1": "canaryAAAAB3NzaC1yc2EAAAADAQABAAABgQC7",
    "key_line_2": "canaryBBBB/qKZ+0f9TqWx==",
}

ROLE = """\
- name: Open the door with {{ role_passphrase }}
  ansible.builtin.fail:
    msg: the role says {{ role_passphrase }}
  ignore_errors: true
"""

RUN = """\
- name: Say what is secret
  hosts: all
  gather_facts: false
  vars_files: [../vars/closed.yml]
  tasks:
    - name: Wait with a secret in hand
      ansible.builtin.copy:
        content: "{{ bmc_password }} {{ plain_name }}"
        dest: "{{ folder }}/never"
        validate: "sh -c 'sleep {{ sleeps_s }}' {{ database.password }} %%s"
        mode: "0600"
      environment: {SERVICE_TOKEN: "%(environment)s"}
      when: inventory_hostname == 'pod-002-n1'
    - name: Log in with {{ bmc_password }}, {{ plain_name }}, {{ door_pin }} and {{ login_secret }}
      ansible.builtin.debug: {msg: "{{ snmp_community }} {{ database }}"}
    - name: Quote what stderr says
      ansible.builtin.command:
        argv: [sh, -c, "echo \\"$1 $SERVICE_TOKEN: not found\\" >&2; exit 127", sh, "{{ bmc_password }}"]
      environment: {SERVICE_TOKEN: "%(environment)s"}
      ignore_errors: true
    - name: Say the form of {{ item }}
      ansible.builtin.fail: {msg: "{{ item }}"}
      loop:
        - "{{ [bmc_password, snmp_community, database.password, umlaut_password] | to_json | to_json }}"
        - "{{ [bmc_password, snmp_community, umlaut_password] | map('quote') | join(' ') }}"
        - "{{ [bmc_password, snmp_community, umlaut_password] | map('urlencode') | join('&') }}"
        - "{{ [bmc_password, snmp_community, umlaut_password] | map('b64encode') | join(' ') }}"
        - "{{ ('admin:' ~ bmc_password) | b64encode }} {{ ('root:' ~ snmp_community ~ '!') | b64encode }}"
        - "{{ [ssh_private_key, umlaut_password] | to_nice_yaml }} {{ ssh_private_key | to_json }}"
        - "https://admin:{{ database.password }}@bmc/redfish?token={{ database.password | urlencode }}"
      loop_control: {label: "{{ item }}"}
      ignore_errors: true
    - name: Say one form at a time, {{ [bmc_password, umlaut_password] | to_json }}
      ansible.builtin.assert:
        that: bmc_password | length == 1
        fail_msg: "{{ bmc_password | to_json }} {{ snmp_community | quote }} {{ ('x' ~ bmc_password) | b64encode }} {{ ssh_private_key }}"
      ignore_errors: true
    - name: Say it after two thousand other characters
      ansible.builtin.fail: {msg: "{{ 'x' * 1990 }}{{ plain_name }}"}
      ignore_errors: true
    - name: Say what the vault has, {{ from_file }}
      ansible.builtin.fail: {msg: "{{ from_file }}"}
      ignore_errors: true
    - name: Say what another host has, {{ hostvars['pod-002-n1'].quiet }}
      ansible.builtin.fail: {msg: "{{ hostvars['pod-002-n1'].quiet }}"}
      ignore_errors: true
    - name: Read another vault
      ansible.builtin.include_vars: {file: ../elsewhere/vault.yml}
    - name: Say what it had, {{ opened_later }}
      ansible.builtin.fail: {msg: "{{ opened_later }}"}
      ignore_errors: true
    - name: Say what the task states, {{ own_token }}
      ansible.builtin.fail: {msg: "{{ own_token }}"}
      vars: {own_token: "%(task)s"}
      ignore_errors: true
    - name: Make a fact
      ansible.builtin.set_fact: {session_token: "{{ 'canary-set-fact' ~ '-d810' }}"}
    - name: Say the fact {{ session_token }}
      ansible.builtin.fail: {msg: "{{ session_token }}"}
      ignore_errors: true
    - name: Fetch one
      ansible.builtin.command: {argv: [printf, "canary-registered%%s", "-47e2"]}
      register: fetched_token
      changed_when: false
    - name: Say what was fetched, {{ fetched_token.stdout }}
      ansible.builtin.fail: {msg: "{{ fetched_token.stdout }}"}
      ignore_errors: true
    - name: Read a file that is not shown
      ansible.builtin.slurp: {src: "{{ folder }}/read-me"}
      register: innocent
      no_log: true
    - name: Say what was in it, {{ innocent.content }}
      ansible.builtin.fail: {msg: "{{ innocent.content | b64decode }}"}
      ignore_errors: true
    - name: Ask a program for {{ asked_token }}
      ansible.builtin.fail: {msg: "{{ asked_token }}"}
      ignore_errors: true
    - name: Warn, and return it
      canary_warns: {}
      ignore_errors: true
    - name: Say each item
      ansible.builtin.fail: {msg: "{{ item.value }}"}
      loop: "{{ {'bmc_token': '%(item)s'} | dict2items }}"
      loop_control: {label: "{{ item }}"}
      ignore_errors: true
    - name: Reach a host of that name
      ansible.builtin.ping:
      delegate_to: h-{{ plain_name }}.invalid
      ignore_unreachable: true
    - name: Get a template wrong
      ansible.builtin.debug: {msg: "{{ {'a': bmc_password}[plain_name] | from_json }}"}
      ignore_errors: true
    - name: Keep it to itself
      ansible.builtin.fail: {msg: "{{ bmc_password }}"}
      no_log: true
      ignore_errors: true
    - name: Use a role
      ansible.builtin.include_role: {name: canary}
    - name: Hand over what a tool printed
      ansible.builtin.set_fact:
        raw_output_results:
          - {raw_output_tool: {name: ethtool_module, argv: [ethtool]}, rc: 0, stdout: "{{ plain_name }} {{ bmc_password }}"}
    - name: End with {{ bmc_password }}
      ansible.builtin.fail: {msg: "{{ bmc_password }} {{ database }} {{ ssh_private_key }}"}
"""

PREVIEW = """\
- name: Show what would change
  hosts: all
  gather_facts: false
  tasks:
    - name: Write {{ bmc_password }}
      ansible.builtin.template: {src: canary.j2, dest: "{{ folder }}/{{ database.password }}.conf", mode: "0600"}
    - name: Write what nobody named
      ansible.builtin.copy: {src: literal.conf, dest: "{{ folder }}/literal", mode: "0600"}
"""

TEMPLATE = """\
user = admin
value = {{ bmc_password }}
json = {{ {'pw': bmc_password, 'u': umlaut_password} | to_json }}
{{ {'spec': {'key': ssh_private_key}} | to_nice_yaml }}
encoded = {{ snmp_community | b64encode }} {{ bmc_password | urlencode }} {{ bmc_password | quote }}
"""

MODULE = """\
from ansible.module_utils.basic import AnsibleModule
module = AnsibleModule({})
value = "canary-module-result" + "-5e5e"
module.warn("the token " + value + " is weak")
module.deprecate("the option token=" + value + " is old", version="9.9", collection_name="ansible.builtin")
module.fail_json(msg="cannot use " + value, api_token=value)
"""


SLEEPS_S = f"60.{os.getpid()}"
"""How long the run that is stopped would sleep. No other worker's sleeps so long."""


def is_asleep() -> bool:
    """Return whether the run that is to be stopped sleeps."""
    return any(process.info["cmdline"] == ["sleep", SLEEPS_S] for process in psutil.process_iter(["cmdline"]))


def write_canaries(folder: Path, inventory: Path, playbooks: Path) -> None:
    """Write the user's files: an inventory with secrets, vaults, and two playbooks that say them. `folder` is the user's home."""
    folder.mkdir(exist_ok=True)
    (folder / "vault-password").write_text(VAULT_PASSWORD, encoding="utf-8")
    (folder / "read-me").write_text(CANARIES["slurped"] + "\n", encoding="utf-8")
    (folder / ".ansible.cfg").write_text(f"[defaults]\nvault_password_file={folder}/vault-password\n", encoding="utf-8")
    here = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
    word = json.dumps(CANARIES["inventory"])
    lines = [f"pod-00{pod}-n1 {here} bmc_password={word}" for pod in (1, 2)]
    inventory.write_text("\n".join(lines) + "\n", encoding="utf-8")
    variables = inventory.parent / "group_vars"
    variables.mkdir()
    (variables / "all.yml").write_text(_group(folder), encoding="utf-8")
    of_host = inventory.parent / "host_vars" / "pod-002-n1.yml"
    of_host.parent.mkdir()
    of_host.write_text(f"quiet: !vault |\n{_indented(_encrypted(CANARIES['other_host']))}\n", encoding="utf-8")
    parts = {
        "vars/closed.yml": _encrypted(f"from_file: {CANARIES['vault_file']}\n"),
        "elsewhere/vault.yml": _encrypted(f"opened_later: {CANARIES['included_vault']}\n"),
        "roles/canary/defaults/main.yml": f"role_passphrase: {CANARIES['role']}\n",
        "roles/canary/tasks/main.yml": ROLE,
        "roles/canary/meta/main.yml": "dependencies: []\n",
        "networking/030.yml": RUN % CANARIES,
        "networking/040.yml": PREVIEW,
        "networking/library/canary_warns.py": MODULE,
        "networking/templates/canary.j2": TEMPLATE,
        "networking/files/literal.conf": f"[db]\npassword = {CANARIES['literal']}\n",
    }
    for name, text in parts.items():
        (playbooks / name).parent.mkdir(parents=True, exist_ok=True)
        (playbooks / name).write_text(text, encoding="utf-8")


def _group(folder: Path) -> str:
    vaulted = _indented(_encrypted(CANARIES["vaulted"]))
    return f"""\
folder: {folder}
sleeps_s: "{SLEEPS_S}"
snmp_community: {json.dumps(CANARIES["group"])}
database: {{host: db, password: {CANARIES["nested"]}}}
login_secret: "{{{{ 'canary-templated' ~ '-51c0' }}}}"
asked_token: "{{{{ lookup('ansible.builtin.pipe', 'printf canary-piped%s -6d02') }}}}"
umlaut_password: {CANARIES["unicode"]}
door_pin: {CANARIES["pin"]}
plain_name: !vault |
{vaulted}
ssh_private_key: |
  {CANARIES["key_line_1"]}
  {CANARIES["key_line_2"]}
"""


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())


def _encrypted(text: str) -> str:
    secret = VaultSecret(VAULT_PASSWORD.encode())
    return str(VaultLib([(DEFAULT_VAULT_ID_MATCH, secret)]).encrypt(text, secret).decode())


def forms(value: str) -> Iterator[bytes]:
    """Yield a value as a search of files would look for it."""
    raw = value.encode()
    yield raw
    yield json.dumps(value)[1:-1].encode()
    yield json.dumps(json.dumps(value))[3:-3].encode()
    yield value.replace("'", "'\"'\"'").encode()
    yield quote(value, safe="/").encode()
    yield quote(value, safe="").encode()
    for before in range(3):
        coded = base64.b64encode(bytes(before) + raw)
        yield coded[4 : 4 * ((before + len(raw)) // 3)]


def found_in(places: Iterable[Path], canaries: Iterable[str]) -> list[str]:
    """Return where any form of a canary is, in files and names of files, packed ones unpacked."""
    wanted = {form: value for value in canaries for form in forms(value)}
    found = []
    for path in (path for place in places for path in place.rglob("*")):
        content = bytes(path) + (path.read_bytes() if path.is_file() else b"")
        if path.suffix == ".gz":
            content += gzip.decompress(path.read_bytes())
        found += [f"{path}: {value} as {form!r}" for form, value in wanted.items() if form in content]
    return found
