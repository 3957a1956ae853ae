"""A look at finished work, with Ansible itself: what was changed by hand is told from what was changed in the playbook."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from flows.runs.bundle.digest import run_digest
from flows.runs.drift.due import DriftLooks
from flows.runs.drift.look import Look, Place, look_for_drift
from flows.runs.drift.text import keep, told
from flows.runs.means import DEFAULTS
from flows.runs.secrets.access import Access
from ledger.entries import ItemResult, RunOutcome
from ledger.evidence.plans import read_plan
from ledger.machine_time import machine_time
from ledger.project_time import project_now
from ledger.questions.case import require_activity
from ledger.questions.drift import drifted
from ledger.questions.records import evidence
from ledger.questions.site import head
from ledger.questions.why import why
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import release, settle
from ledger.subjects.work.decisions import reopen
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError
from steps.design.drift_rule import DriftRule
from tests.ledger.conftest import POD_STEPS, activity, begun, small_plan
from tests.ledger.journey import take

NAME, OTHER = "040@pod-001", "040@pod-002"
HOSTS = ("n1", "n2")
SHIPPED = Path(__file__).parents[2] / "playbooks"
LOCAL = "ansible_connection=local ansible_python_interpreter='{{ ansible_playbook_python }}'"
PLAYBOOK = """\
- name: Write a setting
  hosts: all
  gather_facts: false
  tasks:
    - name: Write the frame size
      ansible.builtin.copy: {{content: "mtu {mtu}\\nname {{{{ inventory_hostname }}}}\\n", dest: "{folder}/{{{{ inventory_hostname }}}}", mode: "0644"}}
      notify: Use it
  handlers:
    - name: Use it
      ansible.builtin.command: touch {folder}/used
"""

playing = pytest.mark.long
"""The mark of a test that plays the playbook: the others only read what was recorded."""


class Hosts:
    """Two hosts, which are folders of this machine, and the site whose step has set a file on each."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self.folder, self.ledger = folder, ledger
        self.place = Place(ledger.site_dir, folder / "playbooks", folder / "hosts.ini", DEFAULTS)
        self.playbook = self.place.playbooks / "networking" / "040.yml"
        for part in ("software_stack/changed_files.yml", "roles/raw_output"):
            (self.place.playbooks / part).parent.mkdir(parents=True)
            copy = shutil.copytree if (SHIPPED / part).is_dir() else shutil.copy
            copy(SHIPPED / part, self.place.playbooks / part)
        self.playbook.parent.mkdir()
        self.write_playbook(9000)
        self.place.inventory.write_text(f"n1 {LOCAL}\nn2 {LOCAL}\n", encoding="utf-8")

    def write_playbook(self, mtu: int) -> None:
        self.playbook.write_text(PLAYBOOK.format(mtu=mtu, folder=self.folder), encoding="utf-8")

    def file(self, host: str) -> Path:
        return self.folder / host

    def run(self) -> None:
        """Do and record what a run does on both hosts."""
        digest = run_digest(self.playbook, self.place.inventory)
        release(self.ledger, "lead", NAME, hosts=HOSTS, count=2, playbook_digest=digest)
        assert take(self.ledger, NAME, hosts=HOSTS, playbook_digest=digest)
        for host in HOSTS:
            self.file(host).write_text(f"mtu 9000\nname {host}\n", encoding="utf-8")
        results = tuple(ItemResult(host, "changed") for host in HOSTS)
        settle(self.ledger, "engine-1", NAME, RunOutcome("ok", results, playbook_digest=digest))

    def change(self, host: str, old: str, new: str) -> None:
        """Change a file by hand, a minute after the run."""
        file = self.file(host)
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        later = (machine_time() + timedelta(minutes=1)).timestamp()
        os.utime(file, (later, later))

    def look(self) -> Look:
        with open_snapshot(self.place.site) as snapshot:
            plan = read_plan(snapshot)
        return look_for_drift(self.place, plan, NAME, partial(open_snapshot, self.place.site), threading.Event())


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    """Hosts on which a run has just set what the playbook says."""
    steps = [
        activity(name, **POD_STEPS["040"] | {"criteria": [], "playbook": "networking/040.yml"})
        for name in (NAME, OTHER)
    ]
    plan = small_plan(activities=steps, links=[], orders=[])
    site = tmp_path / "site"
    with begun(site, project_now) as ledger:
        adopt_plan(ledger, "pm", plan, reason="first plan")
        made = Hosts(tmp_path, ledger)
        made.run()
        yield made


@playing
def test_a_file_changed_by_hand_is_named_and_left_as_it_is(hosts: Hosts) -> None:
    assert hosts.look().findings == ()
    hosts.change("n2", "mtu 9000", "mtu 1500")
    with open_snapshot(hosts.place.site) as snapshot:
        before = head(snapshot)

    look = hosts.look()

    (found,) = look.findings
    assert (found.host, found.path, found.task) == ("n2", str(hosts.file("n2")), "Write the frame size")
    assert "-mtu 1500\n+mtu 9000" in found.lines
    assert "tmp" not in found.lines, "no temporary file of Ansible is named"
    assert found.cause == "changed on the host since run-0001, while no run of ours was at work there"
    assert found.changed_at is not None
    assert found.owner.startswith("root:") or os.geteuid() != 0
    said = "\n".join(told(look, "UTC"))
    assert "set by run-0001" in said
    assert "released by lead as network-lead" in said
    assert hosts.file("n2").read_text(encoding="utf-8").startswith("mtu 1500")
    assert not (hosts.folder / "used").exists()
    with open_snapshot(hosts.place.site) as snapshot:
        assert head(snapshot) == before, "a look records nothing"


@playing
def test_a_look_opens_the_vaults_that_runs_open(hosts: Hosts) -> None:
    secret = VaultSecret(b"of-the-vault-51")
    vaulted = hosts.folder / "group_vars" / "all.yml"
    vaulted.parent.mkdir()
    vaulted.write_text(str(VaultLib([("default", secret)]).encrypt("frame: 1\n", secret=secret), "ascii"))

    assert set(hosts.look().passed_over) == set(HOSTS), "nothing opens it"

    means = DEFAULTS._replace(access=Access({"default": "of-the-vault-51"}))
    hosts.place = hosts.place._replace(means=means)
    assert hosts.look().passed_over == {}


@playing
def test_who_owns_a_changed_file_is_said_where_the_name_of_a_group_has_a_space(hosts: Hosts) -> None:
    """Groups of Active Directory have, as `domain users`."""
    reads = hosts.place.playbooks / "software_stack" / "changed_files.yml"
    reads.write_text(reads.read_text(encoding="utf-8").replace("%G", "domain users"), encoding="utf-8")
    hosts.change("n2", "mtu 9000", "mtu 1500")

    (found,) = hosts.look().findings

    assert found.owner.endswith(":domain users")
    assert found.changed_at is not None


@playing
def test_other_rights_of_a_file_are_a_difference_of_that_file(hosts: Hosts) -> None:
    hosts.file("n1").chmod(0o600)

    (found,) = hosts.look().findings

    assert (found.host, found.path) == ("n1", str(hosts.file("n1")))
    assert '-    "mode": "0600"' in found.lines
    assert found.cause == "changed on the host since run-0001", "its content is older than the run's end"


@playing
def test_what_shows_no_lines_is_named_by_its_task(hosts: Hosts) -> None:
    """Of a service that was stopped, and of a file with a password, Ansible prints no difference."""
    stopped = f"{{{{ not lookup('file', '{hosts.folder}/running', errors='ignore') }}}}"
    service = f"      ansible.builtin.command: 'true'\n      check_mode: false\n      changed_when: \"{stopped}\"\n"
    secret = f"      ansible.builtin.copy: {{content: hunter2, dest: {hosts.folder}/secret, mode: '0600'}}\n      no_log: true\n"
    added = f"    - name: Start the service\n{service}    - name: Write the password\n{secret}  handlers:\n"
    hosts.playbook.write_text(
        hosts.playbook.read_text(encoding="utf-8").replace("  handlers:\n", added), encoding="utf-8"
    )

    found = {(one.host, one.task, one.path, one.lines) for one in hosts.look().findings}

    assert found == {(host, task, "", "") for host in HOSTS for task in ("Start the service", "Write the password")}
    for name, text in (("running", "yes"), ("secret", "hunter2")):
        (hosts.folder / name).write_text(text)
        (hosts.folder / name).chmod(0o600)
    assert hosts.look().findings == ()


@playing
def test_a_playbook_changed_since_is_told_apart_from_a_host(hosts: Hosts) -> None:
    hosts.write_playbook(4200)
    by_files = hosts.look()
    hosts.change("n1", "name n1", "name forged")

    by_both = hosts.look()

    since = "the playbook, one of its roles, Ansible or a collection was changed since"
    assert {found.cause for found in by_files.findings} == {f"not changed on the host since run-0001: {since}"}
    causes = {found.host: found.cause for found in by_both.findings}
    assert causes["n2"] == f"not changed on the host since run-0001: {since}"
    assert causes["n1"] == f"changed on the host since run-0001, while no run of ours was at work there; {since}, too"


@playing
def test_hosts_of_a_run_are_left_alone(hosts: Hosts) -> None:
    hosts.change("n1", "mtu 9000", "mtu 1500")
    release(hosts.ledger, "lead", OTHER, hosts=["n1"], count=1, playbook_digest="d")
    assert take(hosts.ledger, OTHER, hosts=["n1"], playbook_digest="d")

    look = hosts.look()

    assert look.hosts == ("n2",)
    assert look.findings == ()
    assert look.passed_over == {"n1": "run-0002 is at work on it"}


@playing
def test_a_host_that_does_not_answer_is_named_and_the_others_are_judged(hosts: Hosts) -> None:
    hosts.change("n2", "mtu 9000", "mtu 1500")
    hosts.place.inventory.write_text(f"n1 ansible_host=127.0.0.1 ansible_port=1\nn2 {LOCAL}\n", encoding="utf-8")

    look = hosts.look()

    assert [found.host for found in look.findings] == ["n2"]
    assert look.passed_over.keys() == {"n1"}
    assert "unreachable" in look.passed_over["n1"]


@playing
def test_what_the_engine_finds_is_kept_once_and_opens_nothing_again(hosts: Hosts) -> None:
    hosts.change("n2", "mtu 9000", "mtu 1500")
    for _ in range(2):
        keep(hosts.ledger, hosts.look(), "UTC")

    with open_snapshot(hosts.place.site) as snapshot:
        (row,) = drifted(snapshot)
        assert (row.activity, row.hosts) == (NAME, ("n2",))
        assert [kept.kind for kept in evidence(snapshot, NAME)] == ["differences"]
        assert require_activity(snapshot, NAME).state is State.DONE
        assert why(snapshot, NAME).needs == (f"a decision on drift: {row.summary} (clusterwright drift {NAME})",)
    assert audit(hosts.place.site) == []

    hosts.file("n2").write_text("mtu 9000\nname n2\n", encoding="utf-8")
    keep(hosts.ledger, hosts.look(), "UTC")
    with open_snapshot(hosts.place.site) as snapshot:
        assert drifted(snapshot) == []


def test_what_is_open_again_is_not_looked_at(hosts: Hosts) -> None:
    reopen(hosts.ledger, "pm", NAME, reason="another frame size")

    with pytest.raises(NotSatisfiedError, match="no finished run of it has changed hosts"):
        hosts.look()


def test_a_round_is_due_once_and_survives_the_engine(hosts: Hosts, tmp_path: Path) -> None:
    file, now = tmp_path / "drift", project_now()
    with open_snapshot(hosts.place.site) as snapshot:
        plan = read_plan(snapshot)
        ruled = plan.model_copy(update={"drift": DriftRule(every="1 h", at="00:00")})
        looks = DriftLooks(file, now)
        assert looks.due(snapshot, ruled) == [], "an engine that is new here waits for the next round"
        later = snapshot.at(now + timedelta(hours=1))
        assert looks.due(later, plan) == [], "without a rule there is no round"
        assert [row.id for row in looks.due(later, ruled)] == [NAME]
        assert [row.id for row in DriftLooks(file, now).due(later, ruled)] == [NAME], "it was not looked at yet"
        looks.ended(NAME)
        assert looks.due(later, ruled) == []
        assert DriftLooks(file, now).due(later, ruled) == []


@pytest.mark.parametrize(
    ("every", "now", "due"),
    [
        ("24 h", "2026-11-23T12:00+00:00", "2026-11-23T02:00+01:00"),
        ("24 h", "2026-11-23T00:59+00:00", "2026-11-22T02:00+01:00"),
        ("6 h", "2026-11-23T12:59+00:00", "2026-11-23T08:00+01:00"),
        ("6 h", "2026-11-23T00:00+00:00", "2026-11-22T20:00+01:00"),
        ("48 h", "2026-11-23T12:00+00:00", "2026-11-22T02:00+01:00"),
        ("48 h", "2026-11-24T12:00+00:00", "2026-11-24T02:00+01:00"),
    ],
)
def test_looks_are_due_at_the_time_of_the_site(every: str, now: str, due: str) -> None:
    rule = DriftRule(every=every, at="02:00")

    assert rule.last_before(datetime.fromisoformat(now), "Europe/Oslo") == datetime.fromisoformat(due)


@pytest.mark.parametrize("every", ["0 h", "5 h", "36 h", "24", "daily", "999 h"])
def test_an_interval_that_fits_no_day_is_refused(every: str) -> None:
    with pytest.raises(ValueError, match="hours that divide a day, or whole days"):
        DriftRule(every=every)
