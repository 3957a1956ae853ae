"""The text of a new site.yaml: every key there is, explained beside it."""

from pathlib import Path
from shutil import copyfile

from clusterwright.first_answers import Answers
from clusterwright.this_machine import Machine
from ledger.account import machine_account
from steps.catalog.loader import read_roles
from steps.design.public_holidays import are_known
from steps.design.site import FILE, site_slug

PEOPLE_FILE = "people.csv"

_SITE = """\
# One site. What is written here is a proposal; `clusterwright plan adopt` puts it in force.
name: {name}
time_zone: {time_zone}        # IANA name; calendars and dates on screen follow it
country: {country}               # ISO 3166, two letters; "NO" for Norway in quotes
currency: USD             # ISO 4217, three letters

# {title}
preset: {preset}
{facility}      # existing, shell or greenfield; the preset's choice if left out
# burn_in: {burn_in}        # bench or in-place

# Any figure or choice of the preset can be set here; `clusterwright catalog show` and
# docs/reference/design-values.md name them.
overrides:{overrides}
#  nodes: 64
#  cooling: hybrid
{decisions}
# What the buyer does about orders that are late, by item; nothing if left out. docs/explanation/risk.md has each price.
# responses:
#   expedite: [gpu-server, leaf-switch, spine-switch]
#   second-source: [gpu-server]
#   partial-service: [leaf-switch, spine-switch]

start: {start}        # the first day of the project
{start_hour}
# commit_to: P50        # how sure the dates are to which the site commits; P80 if left out
calendar:
  working_days: [1, 2, 3, 4, 5]   # ISO weekdays, Monday is 1
  hours: [8, 16]                  # site-local; [22, 6] goes on into the next day
  {holidays}
  holidays: []                    # other days off: [2026-12-25, 2027-01-01]

# Calendars of trades that do not keep the site's, and these trades; what a calendar leaves out is as at the site.
# calendars:
#   contractor: {{working_days: [1, 2, 3, 4, 5, 6], hours: [6, 16]}}
#   night: {{hours: [22, 6], public_holidays: none}}
# trades:
#   cabling-technician: contractor
#   rigger: contractor

# How many crews of a trade the site has; one for each 160 nodes if left out.
crews: {{}}
#  rack-technician: 2

# Who acts. `account` is the operating-system account that proves it; several people may share one
# (then commands ask for --as ID, and `plan` says so). With `assurance: signed` only `ssh_key` proves it.
# One person may not both do a work and approve it. A file may have them instead of a list, as people.csv
# with the columns id, name, roles, account.
{people}

# With `assurance: signed` the engine signs what it records, with a key of its own. `clusterwright keys engine`
# makes it and prints this line; adopting the plan enrols it.
# engine_key: ssh-ed25519 AAAA...

# How runs of playbooks go; what is left out is worked out for each run. `clusterwright limits ID` shows it; docs/how-to/runs.md.
# runs:
#   side_by_side: 8         # runs at once on the engine's machine
#   forks: 50               # hosts at once
#   ssh_retries: 3
#   connect_timeout_s: 10
#   task_timeout_s: 1800    # for a task on one host
#   hang_after_s: 300       # for a host that shows nothing when others have ended a task
#   time_limit_s: 14400     # for a run, or a wave of it
#   steps: {{"006": {{forks: 8}}}}
#   groups: {{switches: {{connect_timeout_s: 30}}}}
#   vault: [{{id: default, file: /root/.vault-password}}]   # or command: [pass, show, vault], or prompt: true
#   environment: [VAULT_ADDR, VAULT_TOKEN]                # what lookups may read of the engine's environment

# Playbooks on other machines, by Prefect's workers: docs/how-to/team.md.
# team:
#   prefect: https://prefect.example.org/api
#   exchange: /srv/clusterwright          # a folder that dispatchers and workers share, or s3://bucket/prefix
#   queues: {{hall-1: hall_1}}            # a queue, and the group of the inventory that its workers reach
#   workers: {{worker-1: ssh-ed25519 AAAA...}}   # `clusterwright worker key` prints it; of some queues: {{key: ..., queues: [...]}}

# What people may attach as evidence; a file of another kind, or a larger one, is refused.
# evidence:
#   max_mb: 64
#   types: [text, json, csv, png, jpeg, pdf]

# When `up` looks whether hosts still are as finished steps have set them; never if left out.
# drift: {{every: 24 h, at: "02:00"}}
{inventory}"""

_PERSON = """\
  - id: {id}
    name: {name}
    roles: [{roles}]
    organisation: ""
    account: {account}
"""


def write_site(folder: Path, answers: Answers, inventory: str | None = None) -> None:
    """Write the files of a new site: site.yaml, and the people and the inventory where there are such files."""
    folder.mkdir(parents=True, exist_ok=True)
    name = site_slug(folder.resolve().name)
    (folder / FILE).write_text(_text(answers, name, has_inventory=inventory is not None), encoding="utf-8")
    if answers.people is not None:
        copyfile(answers.people, folder / PEOPLE_FILE)
    if inventory is not None:
        (folder / "inventory").mkdir(exist_ok=True)
        (folder / "inventory" / "hosts.yml").write_text(inventory, encoding="utf-8")


def _text(answers: Answers, name: str, *, has_inventory: bool) -> str:
    """Return a site file. Where no file has the people, one works and two sign, all on the account that makes it."""
    preset, roles, account = answers.preset, read_roles(), machine_account()
    signing = [slug for slug, role in roles.items() if role.signs]
    working = [slug for slug, role in roles.items() if not role.signs]
    both = [role for role in signing if role not in {"owner-pm", "sponsor"}]
    people = [
        ("operator", "Operator", working),
        ("owner", "Owner", ["owner-pm", *both]),
        ("reviewer", "Reviewer", ["sponsor", *both]),
    ]
    overrides: dict[str, int | str] = {"nodes": answers.nodes} if answers.nodes else {}
    if answers.machine is not None:
        overrides |= answers.machine.overrides()
    listed = "people:\n" + "".join(_person(*person, account) for person in people).rstrip("\n")
    return _SITE.format(
        name=name,
        time_zone=answers.time_zone,
        holidays=_HOLIDAYS if are_known(answers.country) else _NO_HOLIDAYS.format(country=answers.country),
        country='"NO"' if answers.country == "NO" else answers.country,  # which YAML reads as false
        title=preset.title,
        preset=preset.name,
        facility=f"facility: {answers.facility}" if answers.facility else f"# facility: {preset.choices['facility']}",
        overrides="".join(f"\n  {key}: {value}" for key, value in overrides.items()) or " {}",
        decisions=_decisions(answers.machine),
        burn_in=preset.choices["burn_in"],
        start=answers.start.isoformat(),
        start_hour=_NO_HOUR if answers.start_hour is None else f"start_hour: {answers.start_hour}",
        people=f"people: {PEOPLE_FILE}" if answers.people else listed,
        inventory=_INVENTORY_KEY if has_inventory else _NO_INVENTORY,
    )


def _decisions(machine: Machine | None) -> str:
    """Return the steps that do not apply to the machine at hand, as `init` found it."""
    found = [] if machine is None else list(machine.decisions())
    if not found:
        return ""
    lines = "".join(f'  - {{steps: ["{step}"], reason: "{reason}"}}\n' for step, reason in found)
    return f"\n# What does not apply to this machine, as `init` found it. Remove a line and the step applies.\ndecisions:\n{lines}"


_NO_HOUR = "# start_hour: 8          # what is counted in elapsed time begins at this hour of it; midnight if left out"
_HOLIDAYS = "# public_holidays: US-TN        # those of the country if left out, or of a part of it; none for none"
_NO_HOLIDAYS = "public_holidays: none           # of {country} none are known: write the days below"


def _person(name: str, title: str, roles: list[str], account: str) -> str:
    return _PERSON.format(
        id=name,
        name=title,
        roles=", ".join(roles),
        account=account,
    )


_INVENTORY_KEY = """
# The Ansible inventory: a file or folder beside this one.
inventory: inventory/hosts.yml
"""
_NO_INVENTORY = """
# The Ansible inventory: a file or folder beside this one, or NetBox. Without it nothing is automated.
# inventory: inventory/hosts.yml
# inventory: {netbox: {url: https://netbox.example.org, site: oslo}}   # token in NETBOX_TOKEN; docs/how-to/inventory.md
"""


def inventory_text() -> str:
    """Return the inventory of the machine this runs on."""
    return """\
# Hosts that the playbooks reach, in the order in which they are dealt to pods.
all:
  hosts:
    localhost:
      ansible_connection: local
      ansible_python_interpreter: "{{ ansible_playbook_python }}"
  vars:
    # What the checks compare the machine with; without it they are `not measured`. The engine runs with what you
    # changed here once you have allowed it: `clusterwright allow`.
    listening_ports_policy: [tcp/22]   # what may listen for other machines (068)
    # gpu_driver_version: "550.54.15"  # (148)
    stress_memory_share: 5%            # of the memory, that a load of seconds gets through it (035)
"""
