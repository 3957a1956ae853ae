"""What a dispatcher takes of a worker, and a worker of a dispatcher: nothing that is another's, was changed, or is for something else."""

from __future__ import annotations

import fcntl
import io
import json
import os
import subprocess
import sys
import tarfile
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pydantic import ValidationError

from clusterwright.team_health import team_health
from flows.dashboard.prefect_api import PrefectApi
from flows.dashboard.server import PrefectServer
from flows.dashboard.shared_server import reached
from flows.dashboard.standing_runs import SLICE
from flows.runs.bundle.copy import Tree
from flows.runs.results.per_host import PlaybookResult
from flows.runs.run import RunSpec, collected, ignore
from flows.team.bundle import SliceTerms, digest_of, packed, unpacked, versions
from flows.team.exchange import BUNDLE, ENDED, RENEWED, TAKEN, WORKERS, report_name
from flows.team.exchange_address import exchange_at
from flows.team.exchange_folder import SharedFolder
from flows.team.keys import MEANT_FOR, WorkerKey, key_of, make_key, verified
from flows.team.lease import read_renewal, renewal
from flows.team.live_copy import copied
from flows.team.own_inventory import FILE, own_inventories
from flows.team.pool import Pool, Standing
from flows.team.remote import Remote, Slice
from flows.team.slices import Slices
from flows.team.worker import run_worker, settle_slices
from flows.team.worker_file import Worker, this_process
from ledger.evidence.live_output import copy_of
from schedule.errors import ClusterwrightError, InputError, UnreachableError
from steps.design.site import Site
from steps.design.team import Team
from tests.flows.conftest import until
from tests.needs import needs
from tests.ports import free_port
from tests.small_disk import full, small_disk_at

pytestmark = needs("ssh-keygen")

NAME = "engine-run-0001.0123abcd"
HOSTS = ("n1", "n2")


class Noted:
    """Stands in for Prefect's work pool, which tests/flows/test_team.py has: what it was asked to show."""

    name = "pool"

    def __init__(self) -> None:
        self.ends: list[str] = []
        self.is_away = self.is_stuck = self.has_lost = False

    def submit(self, *_: object) -> str:
        self.answer()
        self.ends += ["SCHEDULED"] * self.has_lost
        self.has_lost = False
        return "run"

    def answer(self) -> None:
        """Raise while the server is away."""
        if self.is_away:
            raise UnreachableError("the dashboard's server does not answer")

    def standing(self, _: str) -> Standing | None:
        self.answer()
        if self.has_lost:
            return None
        return Standing("", self.is_stuck)

    def schedule_again(self, _: str) -> None:
        self.ends.append("SCHEDULED")
        self.is_stuck = False

    def set_state(self, _: str, kind: str, *__: str) -> None:
        self.ends.append(kind)

    def crash(self, *_: str) -> None:
        self.ends.append("CRASHED")


class Trial:
    """A slice that waits for a worker, in a thread."""

    def __init__(self, folder: Path, exchange: str = "exchange", *, is_away: bool = False) -> None:
        (folder / "exchange").mkdir(exist_ok=True)
        self.exchange, self.pool, self.cancel = exchange_at(folder, exchange), Noted(), threading.Event()
        self.pool.is_away = is_away
        self.keys = {name: self._key(folder, name) for name in ("worker-1", "worker-2", "worker-3", "stranger")}
        lines = {name: (folder / f"{name}.pub").read_text() for name in ("worker-1", "worker-2")}
        other = {"key": (folder / "worker-3.pub").read_text(), "queues": ["hall-2"]}
        settings = {"exchange": exchange, "queues": {"hall-2": "hall_2"}}
        self.folder, self.team = (
            folder,
            Team.model_validate(settings | {"prefect": "http://127.0.0.1/api", "workers": lines | {"worker-3": other}}),
        )
        tree = folder / "tree"
        (tree / "playbooks").mkdir(parents=True)
        (tree / "playbooks" / "a.yml").write_text("- hosts: all\n")
        (tree / "hosts.ini").write_text("n1\nn2\n")
        place = Tree(tree, tree / "playbooks" / "a.yml", tree / "hosts.ini", "d" * 64)
        self.spec = RunSpec(place.playbook, place.inventory, HOSTS, {"a": 1}, folder / "run", folder / "log")
        self.remote = Remote(self.team, self.exchange, cast("Pool", self.pool), Slice(NAME, "default", HOSTS))
        self.result: PlaybookResult | None = None
        self.fault: ClusterwrightError | None = None
        events = self.remote.events(self.spec, place, None, self.cancel)
        self._thread = threading.Thread(target=self._collect, args=(events,), daemon=True)
        self._thread.start()
        until(lambda: self.exchange.is_open(NAME), seconds=10)

    def _key(self, folder: Path, name: str) -> WorkerKey:
        make_key(folder / name, name)
        return WorkerKey(folder / name)

    def _collect(self, events: Iterator[dict[str, Any]]) -> None:
        try:
            self.result = collected(events, self.spec, ignore, self.cancel)
        except ClusterwrightError as error:
            self.remote.end(self.cancel)  # as what plays slices does
            self.fault = error

    def write(self, worker: str, file: str, report: dict[str, Any] | None = None) -> None:
        """Write a file of the slice, signed by a worker."""
        self.exchange.put(NAME, file, self.keys[worker].signed(NAME, file, report or {}))

    def take(self, worker: str, name: str = "") -> None:
        """Take the slice, under the worker's own name or another's."""
        self.write(worker, TAKEN, {"worker": name or worker})

    def ended(self) -> PlaybookResult:
        """Return the result, once it is there."""
        until(lambda: self.result is not None, seconds=20)
        assert self.result is not None
        return self.result


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[Trial]:
    """A slice that nobody has taken. What still waits for it afterwards is ended."""
    trial = Trial(tmp_path)
    yield trial
    trial.cancel.set()


def of_host(host: str) -> dict[str, Any]:
    return {"event": "ok", "host": host, "task": "t", "changed": False, "reached": True, "elsewhere": "", "s": 1}


END = [
    {"event": "unfinished", "hosts": []},
    {"event": "complete"},
    {"event": "end", "status": "successful", "limit_s": 9},
]


def test_the_worker_that_took_it_is_believed_for_its_own_hosts_only(trial: Trial) -> None:
    trial.take("worker-1")
    trial.write("worker-1", report_name(1), {"events": [of_host("n1"), of_host("n2"), of_host("n3"), *END]})
    trial.write("worker-1", ENDED)

    result = trial.ended()
    assert result.status == "ok"
    assert [host.host for host in result.hosts] == ["n1", "n2"]
    assert not trial.exchange.is_open(NAME)


def test_what_another_worker_writes_is_not_taken(trial: Trial) -> None:
    trial.take("worker-1")
    until(lambda: trial.exchange.get(NAME, BUNDLE), seconds=10)
    for forger in ("worker-2", "stranger"):
        trial.write(forger, report_name(1), {"events": [of_host("n1"), of_host("n2"), *END]})
        trial.write(forger, ENDED)
        with pytest.raises(AssertionError):
            until(lambda: trial.result is not None, seconds=1)
    trial.write("worker-1", report_name(1), {"events": []})
    trial.write("worker-1", ENDED)

    result = trial.ended()
    assert (result.status, {host.status for host in result.hosts}) == ("cancelled", {"skipped"})
    assert trial.pool.ends == ["CRASHED"]


def test_a_report_counts_in_its_own_place_only(trial: Trial) -> None:
    trial.take("worker-1")
    until(lambda: trial.exchange.get(NAME, BUNDLE), seconds=10)
    moved = trial.keys["worker-1"].signed(NAME, report_name(2), {"events": [*map(of_host, HOSTS), *END]})
    trial.exchange.put(NAME, report_name(1), moved)
    of_another = trial.keys["worker-1"].signed(NAME[:-1] + "e", ENDED, {})
    trial.exchange.put(NAME, ENDED, of_another)

    with pytest.raises(AssertionError):
        until(lambda: trial.result is not None, seconds=1)


@pytest.mark.parametrize(("worker", "name"), [("stranger", ""), ("stranger", "worker-1"), ("worker-2", "worker-1")])
def test_a_worker_that_is_not_who_it_says_gets_no_bundle(trial: Trial, worker: str, name: str) -> None:
    trial.take(worker, name)

    assert trial.ended().status == "error"
    assert trial.pool.ends == ["FAILED"]


def test_a_worker_of_other_queues_gets_no_bundle(trial: Trial) -> None:
    """It is one of the team, and Prefect gives slices of every queue to who asks for them."""
    trial.take("worker-3")

    assert trial.ended().message.endswith("`team.workers` does not name for the queue default")
    assert trial.pool.ends == ["FAILED"]


def test_a_queue_of_a_worker_is_one_of_the_team(tmp_path: Path) -> None:
    entry = {"key": make_key(tmp_path / "key", "w"), "queues": ["hall-9"]}
    with pytest.raises(ValidationError, match="the worker w has the queue hall-9, and the team has default"):
        Team.model_validate({"prefect": "http://127.0.0.1/api", "exchange": "x", "workers": {"w": entry}})


def test_the_bundle_is_for_its_worker_and_is_what_was_meant(trial: Trial, tmp_path: Path) -> None:
    trial.take("worker-1")
    until(lambda: trial.exchange.get(NAME, BUNDLE), seconds=10)
    bundle = trial.exchange.get(NAME, BUNDLE) or b""
    with pytest.raises(InputError, match="not sealed to this worker's key"):
        trial.keys["worker-2"].opened(bundle)

    content = trial.keys["worker-1"].opened(bundle)
    terms = unpacked(content, tmp_path / "worker")
    assert (terms.hosts, terms.extra_vars, terms.slice_name) == (HOSTS, {"a": 1}, NAME)
    assert terms.tree(tmp_path / "worker").playbook.read_text() == "- hosts: all\n"
    assert digest_of(content) != digest_of(content + b" ")


def test_a_worker_of_another_version_refuses_a_bundle_whatever_its_terms_are(tmp_path: Path) -> None:
    """The terms of a later version may have more in them than this one knows."""
    terms = {"slice_name": "s", "waits_for": "a later version", "versions": versions() | {"clusterwright": "9.0.0"}}
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as made:
        text = json.dumps(terms).encode()
        (entry := tarfile.TarInfo("terms.json")).size = len(text)
        made.addfile(entry, io.BytesIO(text))

    with pytest.raises(InputError, match=r"this worker has clusterwright .* and not 9\.0\.0") as said:
        unpacked(archive.getvalue(), tmp_path)

    assert said.value.hint == "install the dispatcher's version on it"


@pytest.mark.parametrize(
    ("name", "sort"),
    [("../out", tarfile.REGTYPE), ("/tmp/out", tarfile.REGTYPE), ("here", tarfile.SYMTYPE), ("here", tarfile.LNKTYPE)],
)
def test_a_bundle_with_a_link_or_a_file_elsewhere_is_refused_and_nothing_of_it_is_written(
    name: str, sort: bytes, tmp_path: Path
) -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as made:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = sort, "/etc/passwd"
        made.addfile(entry)
    (folder := tmp_path / "worker").mkdir()

    with pytest.raises(InputError, match=f"'{name}' of the bundle is no plain file in its folder"):
        unpacked(archive.getvalue(), folder)

    assert list(tmp_path.rglob("*")) == [folder]


def test_it_is_stopped_before_a_worker_has_it(trial: Trial) -> None:
    trial.cancel.set()

    assert trial.ended().status == "cancelled"
    assert trial.pool.ends == ["CANCELLED"]


def test_a_slice_waits_for_a_server_that_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was a failed run that waited for a person."""
    for name, value in (("flows.team.pool.AGAIN_S", 0.1), ("flows.team.remote.ASK_S", 0.1)):
        monkeypatch.setattr(name, value)
    trial = Trial(tmp_path, is_away=True)
    time.sleep(0.5)
    trial.pool.is_away = False
    time.sleep(0.5)
    trial.pool.is_away = True  # and once more, while no worker has it
    time.sleep(0.5)
    assert (trial.result, trial.fault) == (None, None)

    trial.cancel.set()

    assert trial.ended().was_cut_off, "it runs again by itself"


def test_what_is_over_is_not_left_unfinished_in_prefect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 94 kills three left a slice as running: its worker, or the server, was killed as it ended."""
    (tmp_path / "exchange").mkdir()
    exchange, going = SharedFolder(tmp_path / "exchange"), list[set[str]]()
    make_key(tmp_path / "w", "w")
    workers = {"w": (tmp_path / "w.pub").read_text()}
    team = Team.model_validate({"exchange": "exchange", "prefect": "http://127.0.0.1/api", "workers": workers})
    pool = cast("Pool", SimpleNamespace(name="pool", site="S", crash_others=going.append, crash=lambda *_: None))
    slices, other = Slices(team, exchange, pool), "engine-run-0002.0123abcd"
    exchange.open(NAME)
    exchange.open(other)

    slices.show_ended()
    assert not slices.take_over("engine-run-0003"), (
        "nobody knows what runs on workers whose exchange is not mounted here"
    )
    exchange.introduce("w", b"its statement")
    assert slices.take_over("engine-run-0001")
    slices.show_ended()
    assert going == [{NAME, other}]  # at the beginning; what has just ended has some time

    monkeypatch.setattr("flows.team.slices.OVER_S", 0.0)
    slices.show_ended()
    slices.show_ended()
    assert going[1:] == [{other}]


@pytest.mark.slow
def test_prefect_shows_what_is_over_as_crashed(server: PrefectServer) -> None:
    flow, pool = server.api.post("/flows/", {"name": "play"}), Pool(server.api, "over")
    run = {"flow_id": flow["id"], "state": {"type": "RUNNING"}, "tags": [SLICE, "over"]}
    going, over = (str(server.api.post("/flow_runs/", run | {"name": name})["id"]) for name in (NAME, "over.0123abcd"))

    pool.crash_others({NAME})

    shown = [pool.standing(run) for run in (going, over)]
    assert [one and one.ended for one in shown] == ["", "Worker lost: its slice is over"]
    server.api.post(f"/flow_runs/{going}", {}, "DELETE")  # other tests have this server too


@pytest.mark.slow
def test_a_run_that_its_worker_never_began_is_scheduled_again(
    server: PrefectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker was killed after it had taken the run up in Prefect, and before it took the slice."""
    flow, pool = server.api.post("/flows/", {"name": "play"}), Pool(server.api, "stuck")
    run = {"flow_id": flow["id"], "state": {"type": "PENDING"}, "tags": [SLICE, "stuck"], "name": NAME}
    stuck = str(server.api.post("/flow_runs/", run)["id"])

    assert pool.standing(stuck) == ("", False)
    monkeypatch.setattr("flows.team.pool.BEGUN_S", 0.0)
    assert pool.standing(stuck) == ("", True)
    pool.schedule_again(stuck)
    assert pool.standing(stuck) == ("", False)
    server.api.post(f"/flow_runs/{stuck}", {}, "DELETE")


@pytest.mark.parametrize("how", ["is_stuck", "has_lost"])
def test_a_slice_whose_worker_was_killed_at_its_beginning_goes_to_another(
    trial: Trial, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or Prefect's database was put back to an earlier day, and nobody would ever be handed the slice."""
    monkeypatch.setattr("flows.team.remote.ASK_S", 0.2)
    setattr(trial.pool, how, True)

    until(lambda: trial.pool.ends == ["SCHEDULED"], seconds=10)
    trial.take("worker-1")
    trial.write("worker-1", report_name(1), {"events": [of_host("n1"), of_host("n2"), *END]})
    trial.write("worker-1", ENDED)

    assert trial.ended().status == "ok"


def test_a_renewal_is_of_the_dispatcher_that_sealed_the_bundle() -> None:
    assert read_renewal(renewal("token", 7, stop=True), "token") == (7, True)
    for other in (renewal("other", 7, stop=True), b"", b"[1, 2]", b'["[9, true]", "0"]'):
        assert read_renewal(other, "token") == (0, False)


@pytest.mark.parametrize(
    "code", [b"5", b"null", '"ü"'.encode(), b"[" * 100_000], ids=["a number", "nothing", "no ASCII", "nested"]
)
def test_what_is_no_renewal_does_not_end_the_watch_for_the_end_of_the_lease(code: bytes) -> None:
    """It would end with any error, and the worker would go on without a lease."""
    assert read_renewal(b'["[9, true]", ' + code + b"]", "token") == (0, False)


@pytest.mark.parametrize("plant", [os.mkfifo, Path.mkdir, lambda place: place.symlink_to("/dev/zero")])
def test_what_is_no_plain_file_of_the_exchange_holds_nobody_up(tmp_path: Path, plant: Callable[[Path], None]) -> None:
    """Whoever looks there would wait for ever: the engine as it starts, or what ends a slice whose lease is over."""
    exchange = SharedFolder(tmp_path)
    exchange.open(NAME)
    exchange.introduce("worker-1", b"here")
    plant(tmp_path / NAME / RENEWED)
    plant(tmp_path / WORKERS / "worker-2")

    said = r"seek|directory|symbolic"
    with pytest.raises(OSError, match=said):
        exchange.get(NAME, RENEWED)
    with pytest.raises(OSError, match=said):
        exchange.introduced("worker-2")
    assert exchange.got(NAME, RENEWED) is None


@pytest.mark.parametrize("body", [b"[]", b"7", b'{"file": 1}', b"null"])
def test_what_a_worker_signs_and_no_program_of_ours_writes_is_no_report(tmp_path: Path, body: bytes) -> None:
    """The next engine could not start: it asks which slices have ended."""
    signing = Ed25519PrivateKey.generate()
    public = signing.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    signed = b64encode(signing.sign(MEANT_FOR + body)) + b"\n" + body

    assert verified(signed, public, NAME, ENDED) is None


@pytest.mark.parametrize("said", [{"queues": 5}, {"at_once": "all"}, {"host": {}}])
def test_what_a_worker_says_wrongly_of_itself_hides_no_other(trial: Trial, said: dict[str, Any]) -> None:
    for name, own in (("worker-1", said), ("worker-2", {"host": "rack-7"})):
        trial.exchange.introduce(name, trial.keys[name].signed("", WORKERS, own))
    site = cast("Site", SimpleNamespace(name="site", team=trial.team))

    health = team_health(trial.folder, site, [])

    assert [worker.host for worker in health.workers] == ["", "rack-7", ""]


def test_a_statement_that_nobody_can_read_names_no_worker() -> None:
    """Its error would end who takes a run over, which an engine does as it starts."""
    assert key_of(b"signature\n" + b"[" * 100_000, {}) is None


@pytest.mark.parametrize("name", ["../site.0123abcd", "/etc", "a/b.0123abcd", "", ".", "run", "a" * 200 + ".0123abcd"])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "exchange").mkdir()
    exchange = SharedFolder(tmp_path / "exchange")
    with pytest.raises(InputError, match="no name of a slice"):
        exchange.put_once(name, TAKEN, b"")
    with pytest.raises(InputError):
        exchange.get(name, TAKEN)


def test_an_exchange_that_is_not_mounted_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="is not there"):
        SharedFolder(tmp_path / "nowhere")


def test_what_a_run_prints_is_in_the_exchange_while_it_runs(tmp_path: Path) -> None:
    exchange, log = SharedFolder(tmp_path), tmp_path / "log"
    log.write_text("TASK one\n")
    with copied(log, exchange, "site", "run-0001"):
        copy = copy_of(tmp_path, "site", "run-0001")
        until(copy.exists, seconds=10)
        with log.open("a") as file:
            file.write("TASK two\n")
        until(lambda: copy.read_text() == "TASK one\nTASK two\n", seconds=10)
        assert copy.stat().st_mode & 0o777 == 0o640
    until(lambda: not copy.exists(), seconds=10)


def test_a_live_copy_is_written_through_no_link(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Who may write in the exchange could make the dispatcher write elsewhere."""
    exchange, log, precious = SharedFolder(tmp_path), tmp_path / "log", tmp_path / "ledger.db"
    log.write_text("TASK one\n")
    precious.write_text("the record")
    copy_of(tmp_path, "site", "run-0001").parent.mkdir()
    copy_of(tmp_path, "site", "run-0001").symlink_to(precious)
    with copied(log, exchange, "site", "run-0001"):
        until(lambda: "no_live_copy run=run-0001 because=[Errno 17] File exists" in caplog.text, seconds=10)
    assert precious.read_text() == "the record"


HALLS = """
all:
  vars: {shared: "{{ raw }}"}
  children:
    hall_1:
      vars: {ansible_group_priority: 5, of_hall: one}
      hosts:
        n1:
          raw: !unsafe "{{ not_a_template }}"
          sealed: !vault |
            $ANSIBLE_VAULT;1.1;AES256
            3061
        n2: {ansible_port: 2222}
    hall_2:
      vars: {password: hall-2-secret}
      hosts: {n3: {password: n3-secret}}
"""


def site_of_halls(folder: Path, playbook: str) -> Tree:
    """Make the copy of a run on a site with two halls, each of which has secrets."""
    files = {
        "inventory/hosts.yml": HALLS,
        "inventory/group_vars/all.yml": "everywhere: yes",
        "inventory/group_vars/hall_1.yml": "of_file: one",
        "inventory/group_vars/hall_2/vars.yml": "token: hall-2-file",
        "inventory/host_vars/n1.yml": "own: n1",
        "inventory/host_vars/n2": "own: n2-secret",
        "inventory/host_vars/n3.yml": "own: n3-file",
        "playbooks/phase/001.yml": playbook,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return Tree(folder, folder / "playbooks" / "phase" / "001.yml", folder / "inventory", "d" * 64)


def bundle_of(tree: Tree, hosts: tuple[str, ...], into: Path) -> SliceTerms:
    """Unpack the bundle of a slice as its worker does."""
    (own,) = own_inventories(tree, [hosts])
    one = SliceTerms(NAME, "playbooks/phase/001.yml", FILE if own else "inventory", hosts, {}, False, {}, "d", "t", {})
    return unpacked(packed(tree, one, own), into)


def stated(tree: Tree, host: str) -> dict[str, Any]:
    """Return what Ansible reads of a host."""
    words = (Path(sys.executable).with_name("ansible-inventory"), "-i", str(tree.inventory), "--host", host)
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def test_a_worker_of_one_hall_reads_nothing_of_another(tmp_path: Path) -> None:
    tree = site_of_halls(
        tmp_path / "site", "- hosts: all\n  tasks: [{debug: {var: group_names}, delegate_to: localhost}]\n"
    )

    terms = bundle_of(tree, ("n1",), tmp_path / "worker")

    theirs = terms.tree(tmp_path / "worker")
    there = {
        str(path.relative_to(theirs.folder)): path.read_text() for path in theirs.folder.rglob("*") if path.is_file()
    }
    assert sorted(there) == [
        "inventory/group_vars/all.yml",
        "inventory/group_vars/hall_1.yml",
        "inventory/host_vars/n1.yml",
        "inventory/hosts.yml",
        "playbooks/phase/001.yml",
    ]
    assert not [name for name, text in there.items() if "hall_2" in text or "n3" in text or "n2" in text]
    assert stated(theirs, "n1") == stated(tree, "n1")
    assert '!unsafe "{{ not_a_template }}"' in there["inventory/hosts.yml"].replace("'", '"')


@pytest.mark.parametrize(
    "task",
    [
        "{debug: {msg: \"{{ groups['hall_2'] }}\"}}",
        "{debug: {msg: \"{{ hostvars['n3'].password }}\"}}",
        "{command: id, delegate_to: n3}",
        "{add_host: {name: n9}}",
    ],
)
def test_a_playbook_that_reads_of_other_hosts_has_the_whole_inventory(tmp_path: Path, task: str) -> None:
    tree = site_of_halls(tmp_path / "site", f"- hosts: all\n  tasks: [{task}]\n")

    terms = bundle_of(tree, ("n1",), tmp_path / "worker")

    assert stated(terms.tree(tmp_path / "worker"), "n3") == stated(tree, "n3")


def test_an_inventory_whose_variables_name_other_hosts_goes_out_whole(tmp_path: Path) -> None:
    tree = site_of_halls(tmp_path / "site", "- hosts: all\n")
    (tree.inventory / "group_vars" / "all.yml").write_text("server: \"{{ groups['hall_2'] | first }}\"")

    assert own_inventories(tree, [("n1",)]) == [None]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own, which is small."""
    with small_disk_at(tmp_path / "exchange", "64k") as folder:
        yield folder


def test_a_full_exchange_is_said_and_nothing_is_run(small_disk: Path, tmp_path: Path) -> None:
    trial = Trial(tmp_path)
    trial.take("worker-1")
    with full(small_disk):
        until(lambda: trial.fault or trial.result, seconds=20)

    said = str(trial.fault)
    assert f"the exchange {small_disk} cannot be written: No space left on device" in said
    assert trial.exchange.get(NAME, BUNDLE) is None


def cut_off(folder: Path, exchange: Path) -> tuple[str, Worker]:
    """Return the public key of a worker whose machine was switched off in the middle of a slice, and the worker."""
    for own in ("runs", "pids"):
        (folder / own).mkdir(parents=True)
    text = {"name": "w", "site": "s", "prefect": "http://127.0.0.1/api", "exchange": str(exchange)}
    (folder / "worker.yaml").write_text("".join(f"{key}: {value}\n" for key, value in text.items()))
    key, worker = make_key(folder / "key", "w"), Worker(folder)
    (worker.pids / NAME).write_text("999999999 1.0")
    return key, worker


def test_a_worker_whose_exchange_is_not_mounted_keeps_what_it_has_to_say(tmp_path: Path) -> None:
    """It forgot the slice, and the hosts stayed claimed until a person came. It then took others, and failed each."""
    mounted, said = tmp_path / "exchange", list[str]()
    mounted.mkdir()
    key, worker = cut_off(tmp_path / "worker", mounted)
    exchange = SharedFolder(mounted)
    exchange.open(NAME)
    exchange.introduce("w", worker.introduction())
    mounted.rename(tmp_path / "server")
    mounted.mkdir()

    with pytest.raises(UnreachableError, match=f"the exchange {mounted} does not know this worker"):
        settle_slices(worker, exchange, said.append)
    assert (worker.pids / NAME).exists()
    mounted.rmdir()
    (tmp_path / "server").rename(mounted)
    settle_slices(worker, exchange, said.append)

    assert verified(exchange.get(NAME, ENDED) or b"", key, NAME, ENDED) is not None
    assert not (worker.pids / NAME).exists()
    (worker.pids / NAME).write_text("999999999 1.0")
    exchange.remove(NAME)
    settle_slices(worker, exchange, said.append)
    assert not (worker.pids / NAME).exists(), "its run is over"


def test_a_worker_takes_a_folder_that_is_not_mounted_for_no_fresh_exchange(tmp_path: Path) -> None:
    """It introduced itself there, took slices in Prefect, and refused each."""
    mounted, said = tmp_path / "exchange", list[str]()
    mounted.mkdir()
    _, worker = cut_off(tmp_path / "worker", mounted)
    exchange = SharedFolder(mounted)
    assert worker.has_begun, "one of an earlier release was cut off in the middle of a slice"
    (worker.pids / NAME).unlink()
    assert not worker.has_begun
    worker.began_with.write_text(worker.settings.exchange)
    assert worker.has_begun

    with pytest.raises(UnreachableError, match="is another one than before") as error:
        settle_slices(worker, exchange, said.append)
    assert str(worker.began_with) in str(error.value.hint)
    (worker.pids / NAME).write_text(this_process())
    settle_slices(worker, exchange, said.append)  # what is at work has its lease

    worker.began_with.write_text("s3://another/exchange")
    (worker.pids / NAME).unlink()
    assert not worker.has_begun


def test_a_worker_that_works_already_is_said(tmp_path: Path) -> None:
    """Its service and a person each had one: together they ran twice as many slices as `at_once`."""
    _, worker = cut_off(tmp_path / "worker", tmp_path)
    with worker.began_with.open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(UnreachableError, match=f"a worker runs in {worker.folder} already"):
            run_worker(worker.folder, pytest.fail, threading.Event())

    with pytest.raises(UnreachableError, match="does not answer"):  # it is free, and goes on to its server
        run_worker(worker.folder, pytest.fail, threading.Event())


def test_a_worker_says_that_a_slice_has_ended_when_there_is_room_again(small_disk: Path, tmp_path: Path) -> None:
    exchange, said = SharedFolder(small_disk), list[str]()
    exchange.open(NAME)
    key, worker = cut_off(tmp_path / "worker", small_disk)
    exchange.introduce("w", worker.introduction())
    with full(small_disk):
        settle_slices(worker, exchange, said.append)
        assert (worker.pids / NAME).exists(), "its hosts would stay claimed for ever"

    settle_slices(worker, exchange, said.append)

    assert verified(exchange.get(NAME, ENDED) or b"", key, NAME, ENDED) is not None
    assert said == [f"{NAME}: its process was ended, and nothing of it is left"]
    assert not (worker.pids / NAME).exists()


@pytest.mark.parametrize(("hours", "how"), [(1, "60 minutes behind"), (-1, "60 minutes ahead of")])
def test_a_clock_that_is_an_hour_off_is_said_before_any_work(hours: int, how: str) -> None:
    """A worker behind its server would be handed nothing for an hour: Prefect hands out what is due by the worker's clock."""

    class Hours(BaseHTTPRequestHandler):
        def date_time_string(self, timestamp: float | None = None) -> str:
            return super().date_time_string((timestamp or time.time()) + hours * 3600)

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"0")

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Hours) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        with pytest.raises(UnreachableError, match=f"this machine's clock is {how} that of Prefect's server"):
            reached(f"http://127.0.0.1:{server.server_port}/api", "team:word")
        server.shutdown()


def test_an_address_at_which_something_else_answers_is_said() -> None:
    """Without /api at its end, an address is that of Prefect's pages: each of them answers to everything."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<!doctype html>")

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        with pytest.raises(UnreachableError, match=r"what answers at \S+ is not Prefect's API") as said:
            reached(f"http://127.0.0.1:{server.server_port}", "team:word")
        server.shutdown()

    assert said.value.hint == "its address ends in /api"


def test_a_server_that_goes_away_while_it_is_asked_the_time_is_said() -> None:
    with pytest.raises(UnreachableError, match="does not say the time"):
        PrefectApi(f"http://127.0.0.1:{free_port()}/api", "team:word").clock()
