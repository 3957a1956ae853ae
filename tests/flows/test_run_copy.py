"""What was released is what runs: Ansible itself, on this machine, with files that come or change after the release."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from flows.engine.state import Engine
from flows.performers.real import RealPerformer
from flows.runs.bundle.digest import run_digest
from flows.runs.releases.terms import hosts_left
from flows.runs.run import RunEvent, RunSpec, run_playbook
from flows.runs.waves import run_in_waves
from ledger.evidence.plans import read_plan
from ledger.project_time import project_now
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import claim, release
from ledger.subjects.runs.request_decisions import request_retry
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError
from steps.catalog.terms import Waves
from tests.flows.conftest import runs
from tests.ledger.conftest import Clock, begun
from tests.ledger.journey import bought, passed, racked
from tests.ledger.test_retrying import NAME, plan_in_waves, run

PLAY = """\
- name: Say what was read
  hosts: all
  gather_facts: false
  roles: [speak]
"""
TASKS = """\
- name: Include what is in a file of its own
  ansible.builtin.include_tasks: more.yml
- name: Say everything in one sentence
  ansible.builtin.fail:
    msg: >-
      {{ [of_the_host, of_the_group, beside_the_playbook, of_the_line, lookup('template', 'word.j2') | trim, 'filtered' | spoken,
      from_the_module.msg, included] | join(' ') }}
  when: fails
"""
MODULE = """\
from ansible.module_utils.basic import AnsibleModule
AnsibleModule(argument_spec={}).exit_json(msg="%s")
"""
FILTER = "class FilterModule:\n    def filters(self):\n        return {'spoken': lambda word: word + '%s'}\n"
MORE = """\
- name: Use a module of the role
  spoken_module:
  register: from_the_module
- name: Note that this file was included
  ansible.builtin.set_fact: {included: "included%s"}
"""


def files_of(mark: str) -> dict[str, str]:
    """Return the files of each kind that Ansible reads. Each says the mark."""
    here = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
    return {
        "site/hosts.ini": f"n1 {here} of_the_line=line{mark} fails=False\nn2 {here} of_the_line=line{mark} fails=True\n",
        "site/group_vars/all.yml": f"of_the_group: group{mark}\n",
        "site/host_vars/n2.yml": f"of_the_host: host{mark}\n",
        "books/phase/play.yml": PLAY,
        "books/phase/group_vars/all.yml": f"beside_the_playbook: beside{mark}\n",
        "books/phase/filter_plugins/spoken.py": FILTER % mark,
        "books/roles/speak/tasks/main.yml": TASKS,
        "books/roles/speak/tasks/more.yml": MORE % mark,
        "books/roles/speak/templates/word.j2": f"template{mark}",
        "books/roles/speak/library/spoken_module.py": MODULE % f"module{mark}",
    }


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def spec(tmp_path: Path) -> RunSpec:
    """A run over two hosts, which reads a file of every kind."""
    write(tmp_path, files_of("-released"))
    book, inventory = tmp_path / "books" / "phase" / "play.yml", tmp_path / "site" / "hosts.ini"
    return RunSpec(book, inventory, ("n1", "n2"), {}, tmp_path / "run", tmp_path / "log")


@pytest.mark.slow
def test_a_run_reads_nothing_that_changed_or_came_after_it_began(spec: RunSpec, tmp_path: Path) -> None:
    """The second wave begins after everything was changed: on the first host that would have been another playbook."""
    said: list[str] = []
    late = files_of("-later") | {
        "site/group_vars/all/zz.yml": "of_the_group: added\n",
        "site/host_vars/n2/zz.yml": "of_the_host: added\n",
        "books/phase/host_vars/n2.yml": "of_the_line: added\n",
        "books/phase/library/spoken_module.py": MODULE % "added",
    }
    del late["site/group_vars/all.yml"], late["site/host_vars/n2.yml"]

    def on_event(event: RunEvent) -> None:
        said.append(event.sentence)
        if event.sentence == "WAVE 2: n2":
            (tmp_path / "site/group_vars/all.yml").unlink()
            (tmp_path / "site/host_vars/n2.yml").unlink()
            write(tmp_path, late)

    released = run_digest(spec.playbook, spec.inventory)
    waves = Waves(canary=1, size=1, max_failed_percent=50, source="assumption")
    result = run_in_waves(replace(spec, released=released), waves, on_event=on_event, cancel=threading.Event())

    words = ("host", "group", "beside", "line", "template", "filtered", "module", "included")
    assert f"  failed: n2: {' '.join(f'{word}-released' for word in words)}" in said
    assert result.digest == released != run_digest(spec.playbook, spec.inventory)
    assert not spec.work_dir.exists()


@pytest.mark.slow
def test_the_users_own_plugins_are_not_read_and_his_settings_are_part_of_what_is_released(
    spec: RunSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module in the home folder has precedence over nothing that was released, and nobody would see it there."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    book = "- name: Try\n  hosts: n2\n  gather_facts: false\n  tasks:\n    - name: Use it\n      {}\n"
    config = "ansible.builtin.fail: {{msg: \"user {{{{ lookup('config', 'DEFAULT_REMOTE_USER') }}}}\"}}"
    write(
        tmp_path,
        {
            "home/.ansible.cfg": "[defaults]\nremote_user = deploy\n",
            "books/phase/play.yml": book.format(config.format()),
        },
    )
    write(
        tmp_path,
        {"home/.ansible/plugins/modules/mine.py": MODULE % "mine", "books/phase/other.yml": book.format("mine:")},
    )
    said: list[str] = []
    with_settings = run_digest(spec.playbook, spec.inventory)

    of_settings = replace(spec, hosts=("n2",), released=with_settings)
    run_playbook(of_settings, on_event=lambda e: said.append(e.sentence), cancel=threading.Event())
    another = replace(spec, hosts=("n2",), playbook=spec.playbook.with_name("other.yml"))
    result = run_playbook(another, cancel=threading.Event())

    assert "  failed: n2: user deploy" in said
    assert result.status == "failed"
    assert "mine" in spec.log.read_text(encoding="utf-8"), "the module could not be found"
    (tmp_path / "home/.ansible.cfg").write_text("[defaults]\nremote_user = root\n", encoding="utf-8")
    assert run_digest(spec.playbook, spec.inventory) != with_settings


def test_a_run_whose_files_are_not_those_that_were_released_starts_nothing(spec: RunSpec, tmp_path: Path) -> None:
    """A file may change between the claim and the copy."""
    released = run_digest(spec.playbook, spec.inventory)
    (tmp_path / "site/host_vars/n1.yml").write_text("of_the_host: another\n", encoding="utf-8")
    said: list[RunEvent] = []

    result = run_playbook(replace(spec, released=released), on_event=said.append, cancel=threading.Event())

    assert (result.status, said) == ("cancelled", [])
    assert "nothing was run: the inventory, a variable" in result.message
    assert [host.status for host in result.hosts] == ["skipped", "skipped"]


@pytest.fixture
def engine(both_passed: Path, playbooks: Path, inventory: Path) -> Iterator[Engine]:
    """An engine on a site where software may change the first pod."""
    with open_snapshot(both_passed) as snapshot:
        plan = read_plan(snapshot)
    with Ledger.open(both_passed) as ledger:
        performer = RealPerformer(playbooks, inventory, hands_off=False)
        yield Engine(both_passed, ledger, plan, 1, project_now, performer, 0, rehearsal=False)


def marks(engine: Engine) -> set[str]:
    """Return the marks of what the engine would look at now."""
    with engine.snapshot() as snapshot:
        return {work.key.mark for work in engine.work(snapshot)}


def waits_for(engine: Engine) -> str:
    """Return what the dashboard says when the engine deals with the step that changes the first pod."""
    with engine.snapshot() as snapshot:
        job = engine.performer.prepare(engine, snapshot, require_activity(snapshot, "040@pod-001"))
    return job().message


def test_variables_that_were_added_after_the_release_do_not_run_under_it(
    engine: Engine, playbooks: Path, inventory: Path
) -> None:
    """`group_vars` beside the inventory say on which hosts, as whom and with what a playbook acts."""
    digest = run_digest(playbooks / "networking" / "040.yml", inventory)
    release(engine.ledger, "lead", "040@pod-001", hosts=["pod-001-n1"], count=1, playbook_digest=digest)
    write(inventory.parent, {"group_vars/all.yml": "ansible_become: true\n"})

    assert "a variable beside it or ansible.cfg was changed after the release" in waits_for(engine)
    now = run_digest(playbooks / "networking" / "040.yml", inventory)
    process = {"lease_s": 60, "host": "here", "boot_id": "", "pid": 1, "pgid": 0}
    with pytest.raises(NotSatisfiedError, match="the released hosts or playbook differ"):
        claim(engine.ledger, "e:1", "040@pod-001", hosts=["pod-001-n1"], playbook_digest=now, **process)  # type: ignore[arg-type]
    assert not runs(engine.site_dir, "040@pod-001")


def test_a_playbook_that_cannot_be_read_is_said_in_the_engines_log(
    engine: Engine, playbooks: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In a terminal nobody sees the dashboard, and nothing else happens."""
    book = playbooks / "networking" / "040.yml"
    book.write_text("- hosts: [\n", encoding="utf-8")

    waits_for(engine)

    assert f"cannot_be_run activity=040@pod-001 because={book}:" in caplog.text


def test_what_is_put_back_as_it_was_released_is_looked_at_again_and_what_cannot_be_read_stops_nobody_else(
    engine: Engine, playbooks: Path, inventory: Path
) -> None:
    """An inventory is edited under a running engine: in the middle of it there may be anything, or nothing."""
    digest = run_digest(playbooks / "networking" / "040.yml", inventory)
    release(engine.ledger, "lead", "040@pod-001", hosts=["pod-001-n1"], count=1, playbook_digest=digest)
    released, text = marks(engine), inventory.read_text(encoding="utf-8")

    inventory.write_text(f"#!/bin/sh\n{text}", encoding="utf-8")
    refused = marks(engine)
    with engine.snapshot() as snapshot:
        assert {work.touches for work in engine.work(snapshot)} == {frozenset()}
    assert "is a program" in waits_for(engine)
    inventory.write_text(text, encoding="utf-8")

    assert marks(engine) == released != refused


def test_a_variable_put_right_for_one_host_does_not_begin_the_others_again(
    tmp_path: Path, playbooks: Path, inventory: Path
) -> None:
    """A burn-in takes a day: the servers that passed it stay done."""
    clock = Clock()
    ledger = begun(tmp_path / "waves", clock)
    adopt_plan(ledger, "pm", plan_in_waves(), reason="first plan")
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    before = run_digest(playbooks / "networking" / "030.yml", inventory)
    assert run(ledger, {"n1": "ok", "n2": "failed", "n3": "ok"}, {"n1": "0", "n3": "0"}, before) == "failed"
    request_retry(ledger, "lead", NAME)

    write(inventory.parent, {"host_vars/n2.yml": "bmc_address: 10.0.0.9\n"})
    after = run_digest(playbooks / "networking" / "030.yml", inventory)

    with ledger, open_snapshot(ledger.site_dir) as snapshot:
        row = require_activity(snapshot, NAME)
        assert after != before
        assert hosts_left(snapshot, row, after) == ("n2",)
        assert hosts_left(snapshot, row, f"another.{after.partition('.')[2]}") == ("n1", "n2", "n3")


def test_a_release_of_an_earlier_version_waits_for_a_new_one_and_says_so(engine: Engine) -> None:
    release(engine.ledger, "lead", "040@pod-001", hosts=["pod-001-n1"], count=1, playbook_digest="ab" * 32)

    said = waits_for(engine)

    assert "released with an earlier version of Clusterwright" in said
    assert "clusterwright release 040@pod-001" in said
