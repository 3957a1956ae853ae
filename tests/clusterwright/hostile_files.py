"""Files that the program reads, each with the command or the function that reads it, for mutation."""

from __future__ import annotations

import io
import json
import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import NamedTuple

from clusterwright.check_file import read_checks
from clusterwright.design_view import _temperatures
from clusterwright.foreign_results import read_report
from clusterwright.sheets.reading import read_sheet
from clusterwright.text_file import text_in
from flows.runs.plays import patterns_of, roles_of
from ledger.subjects.orders.manifest_rules import read_manifest, read_scan
from playbooks import __path__ as playbooks
from schedule.exchange.reading import read_exchange
from schedule.exchange.writing import Form, write_exchange
from steps.acceptance.measuring import measure
from steps.cabling.reading.found_file import read_found
from tests.acceptance.test_garbled import METRICS
from tests.acceptance.tool_cases import CASES, Case
from tests.commands import called
from tests.ledger.malicious import photo
from tests.schedule.exchanges import small

Read = Callable[[Path], object]

SITE, OWNER = ("--site", "."), ("--as", "owner")
STEP = """\
id: "X01"
slug: own-step
title: An own step
description: "Something that only this site does."
phase: power
section: Own
kind: field
scope: pod
applies: nodes > 1
not_applicable_because: one server needs none
items: {of: racks, count: ceil(nodes_in_pod / 4)}
crew: {role: rigger, size: 2, count: "min(crews, 2)"}
duration:
  fixed: {o: 1, m: 2, p: 3, unit: crew-day, source: assumption}
  rate: {value: 12, unit: racks per crew-day, source: assumption}
supplies:
  - {item: bracket, title: Brackets, quantity: nodes_in_pod * 2, unit: each, supplier: buyer, lead_time: {value: 4, unit: weeks, source: assumption}}
links:
  - {after: "071", map: enclosing, reason: "power is known", when: "nodes > 2"}
accept:
  - {metric: own.torque, op: ">=", value: 12.5, unit: Nm, source: "drawing", by_hand: true}
  - {metric: own.count, op: "==", value: nodes_in_pod, unit: count, source: "drawing", by_hand: true}
sign_off:
  policy: {roles: [facility-lead], quorum: 1}
  evidence: [photo]
sources: {}
"""
OVERRIDE = """\
overrides: "034"
reason: the contract says so
duration:
  fixed: {value: 24, unit: elapsed-hour, source: contract}
accept:
  - {metric: burn_in.clean_h, op: ">=", value: 24 * 2, unit: h, source: contract}
"""
ROLES = "weaver: {title: Weaver, signs: false}\njudge: {title: Judge, signs: true}\n"
INVENTORY = """\
all:
  children:
    management:
      hosts:
        mgmt-01: {ansible_host: 10.0.0.2}
    nodes:
      hosts:
        node-[01:08]:
          bmc_address: 10.1.0.1
          serial_number: ABC
      vars:
        ansible_connection: local
"""
INI = (
    "mgmt-01 ansible_host=10.0.0.2\n[nodes]\nnode-[01:08] ansible_connection=local serial_number=A\n[nodes:vars]\na=1\n"
)
PROGRESS = "activity,state,started,finished,by,note\n071@site,done,2026-11-02,2026-11-20,owner,as drawn\n072@site,in_progress,2026-11-20,,,\n"
CHECKS = "item,result,rack.bond_resistance [mohm],serial,note,photo\nrack-01,pass,12.5,S1,fine,\nrack-02,fail,900,S2,loose,\n"
MANIFEST = "serial;model;box\nSN0001;DGX;1\nSN0002;DGX;1\nSN0003;DGX;2\n"
BUCKET = "bucket: our-evidence\nprefix: site-a\nendpoint: http://127.0.0.1:9/\nregion: eu-north-1\n"
PRESET = """\
name: mine
title: My own
profile: dgx-h100
sources: ["our own"]
choices:
  facility: existing
  cooling: air
  rear_door: false
  fabric: infiniband
  storage_network: infiniband
  file_system: lustre
  build: oem
  burn_in: in-place
  scheduler: slurm
figures:
  nodes: {value: 8, unit: count, source: "ours"}
decisions:
  - {phases: [cooling], reason: "rented"}
"""
NETBOX = json.dumps(
    {"all": {"hosts": {"n1": {"bmc_address": "10.0.0.1"}}, "children": {"nodes": {"hosts": {"n2": {}}}}}}
)
ANCHOR = json.dumps({"anchor": 1, "site": "x", "seq": 1, "hash": "0" * 64, "time": "2026-11-23T06:00:00Z"}) + "\n"
RESULTS = json.dumps({
    "results": {
        "tool": {"name": "aicr", "version": "1.3.0"}, "summary": {"stop": 1_795_000_000_000},
        "tests": [{"name": "nccl", "status": "passed", "stdout": ["busbw 370.1"], "stop": 1_795_000_000_000}, {"name": "dcgm", "status": "failed", "message": "GPU 3"}],
    },
})  # fmt: skip
NEIGHBOURS = json.dumps({
    "lldp": {"interface": [{"eth0": {"via": "LLDP", "chassis": {"leaf-01": {"id": {"type": "mac", "value": "0c:42:a1:00:00:01"}}}, "port": {"id": {"type": "ifname", "value": "swp21"}, "descr": "to n1"}}}]},
})  # fmt: skip
STATEMENT = json.dumps({
    "_type": "https://in-toto.io/Statement/v1", "subject": [{"name": "141@site", "digest": {"sha256": "0" * 64}}],
    "predicateType": "https://clusterwright.dev/decision/v1",
    "predicate": {"decision": "approve", "person": "owner", "role": "architect", "meaning": "approved", "comment": ""},
})  # fmt: skip


class Subject(NamedTuple):
    """A file of a site. It is read by one of the command lines, or by a function where commands want much before it."""

    name: str
    place: str
    content: bytes
    lines: tuple[Sequence[str], ...] = ()
    read: Read | None = None
    beside: tuple[tuple[str, str], ...] = ()
    """Other files that the command wants, and what is in each."""
    weight: int = 4


PLAN, LINT = ("plan", *SITE), ("catalog", "lint", *SITE)
ATTACH = ("attach", "071@site", "--kind", "photo", *SITE, *OWNER, "--file")


@cache
def subjects(site: Path) -> tuple[Subject, ...]:
    """Return every file to mutate. `site` is a site with an adopted plan."""
    written = (site / "site.yaml").read_bytes()
    own = written.decode().replace("preset: ", "preset: mine # ").encode()
    with_hosts = (("site.yaml", written.decode() + "\ninventory: hosts.yml\n"),)
    with_ini = (("site.yaml", written.decode() + "\ninventory: hosts.ini\n"),)
    picture, jpeg = photo("PNG"), photo()
    return (
        Subject("site file", "site.yaml", written, (PLAN, ("design", "site.yaml"), ("plan", "diff", *SITE), ("doctor", *SITE)), weight=14),
        Subject("own step", "catalog/X01_own_step.yaml", STEP.encode(), (PLAN, LINT, ("catalog", "show", "X01", *SITE)), weight=14),
        Subject("override", "catalog/034.yaml", OVERRIDE.encode(), (PLAN, LINT), weight=6),
        Subject("own roles", "catalog/roles.yaml", ROLES.encode(), (PLAN, ("catalog", "roles", *SITE)), weight=4),
        Subject("own preset", "mine.yaml", PRESET.encode(), (PLAN,), beside=(("site.yaml", own.decode()),), weight=5),
        Subject("inventory", "hosts.yml", INVENTORY.encode(), (("inventory", *SITE),), beside=with_hosts, weight=3),
        Subject("inventory as INI", "hosts.ini", INI.encode(), (("inventory", *SITE),), beside=with_ini, weight=3),
        Subject("NetBox's answer", "hosts.yml", NETBOX.encode(), (("inventory", *SITE),), beside=with_hosts, weight=1),
        Subject("playbook", "p/x/x.yml", _playbook(), read=_plays, weight=6),
        Subject("progress", "progress.csv", PROGRESS.encode(), (("import-progress", "progress.csv", "--yes", *SITE, *OWNER),), weight=8),
        Subject("checklist", "checks.csv", CHECKS.encode(), (("check", "import", "H08@pod-001", "checks.csv", *SITE, *OWNER),), read_checks, weight=8),
        Subject("manifest", "manifest.csv", MANIFEST.encode(), read=lambda path: read_manifest(path.read_bytes()), weight=6),
        Subject("scan", "scan.txt", b"SN0001\nSN0002\n", read=lambda path: read_scan(path.read_bytes()), weight=3),
        Subject("temperatures", "t.csv", b"hour,degC\n1,12.5\n2,13\n", read=lambda path: list(_temperatures(path)), weight=3),
        Subject("ledger.yaml", "ledger.yaml", b"database: postgresql://127.0.0.1:9/site_a\n", (("status", *SITE), ("database", "check", *SITE)), weight=3),
        Subject("bucket", "evidence/store.yaml", BUCKET.encode(), (("comment", "071@site", "word", *SITE, *OWNER), ("status", *SITE)), weight=2),
        Subject("PNG", "a.png", picture, ((*ATTACH, "a.png"),), weight=4),
        Subject("JPEG", "a.jpg", jpeg, ((*ATTACH, "a.jpg"),), weight=4),
        Subject("PDF", "a.pdf", _pdf(), ((*ATTACH, "a.pdf"),), weight=5),
        Subject("JSON", "a.json", json.dumps({"a": [1, 2.5, None, {"b": "c"}]}).encode(), ((*ATTACH, "a.json"),), weight=3),
        Subject("text", "a.txt", b"measured at the rack: 12 Nm\n" * 20, ((*ATTACH, "a.txt"),), weight=3),
        Subject("statement", "s.json", STATEMENT.encode(), (("sign", "--import", "s.json", *SITE),), beside=(("s.json.sig", "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"),), weight=4),
        Subject("anchors", "anchors.jsonl", ANCHOR.encode(), (("audit", "--anchor", "anchors.jsonl", *SITE),), weight=3),
        Subject("own anchors", ".clusterwright/anchors.jsonl", ANCHOR.encode(), (("audit", *SITE),), weight=2),
        Subject("key", "key", b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", (("sign", "141@site", "--key", "key", *SITE, *OWNER),), weight=2),
        Subject("ledger", "ledger.db", (site / "ledger.db").read_bytes(), (("status", *SITE), ("audit", *SITE), ("log", *SITE)), weight=5),
        Subject("backup", "b.tar.gz", _backup(site), (("restore", "b.tar.gz", "restored"),), weight=4),
        Subject("kept forecast", ".clusterwright/forecast.json", (site / ".clusterwright" / "forecast.json").read_bytes(), (("status", *SITE), ("forecast", *SITE)), weight=4),
        Subject("results", "r.json", RESULTS.encode(), read=read_report, weight=3),
        Subject("neighbours", "n1.json", NEIGHBOURS.encode(), read=lambda path: read_found("n1", text_in(path), path.name), weight=3),
        *(_schedule(form) for form in Form if form is not Form.ICS),
        *(_sheet(site, suffix) for suffix in ("xlsx", "csv")),
        *(_tool(case) for case in CASES),
    )  # fmt: skip


def place(subject: Subject, content: bytes, folder: Path) -> Path:
    """Write a subject's file, and the files beside it, into a copy of the site."""
    for name, text in subject.beside:
        (folder / name).write_text(text, encoding="utf-8")
    path = folder / subject.place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def drawn(site: Path, draw: random.Random) -> Subject:
    """Return one of the files, the important ones more often."""
    known = subjects(site)
    return draw.choices(known, weights=[subject.weight for subject in known])[0]


def _tool(case: Case) -> Subject:
    def read(path: Path) -> object:
        text = path.read_bytes().decode(errors="replace")
        return measure(METRICS, "h1", case.raw(text), case.design, today=date(2026, 11, 23))

    return Subject(f"output of {case.output}", f"{case.output}.txt", case.text.encode(), read=read, weight=1)


def _schedule(form: Form) -> Subject:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / f"plan.{form}"
        write_exchange(small(), path, form)
        return Subject(f"schedule as {form}", path.name, path.read_bytes(), read=read_exchange, weight=4)


def _sheet(site: Path, suffix: str) -> Subject:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / f"sheet.{suffix}"
        done = called(["export", "sheet", path, "H08@pod-001", "--of", "items", "--site", site])
        assert done.returncode == 0, done.stderr
        return Subject(f"sheet as {suffix}", path.name, path.read_bytes(), read=read_sheet, weight=4)


def _playbook() -> bytes:
    (folder,) = playbooks
    return next(path for path in sorted(Path(folder).glob("*/1*.yml"))).read_bytes()


def _plays(path: Path) -> object:
    return patterns_of(path), roles_of(path)


def _pdf() -> bytes:
    from PIL import Image

    made = io.BytesIO()
    Image.new("L", (64, 64)).save(made, "PDF")
    return made.getvalue()


def _backup(site: Path) -> bytes:
    """Return a backup of the site."""
    with tempfile.TemporaryDirectory() as scratch:
        archive = Path(scratch) / "b.tar.gz"
        copy = Path(scratch) / "site"
        shutil.copytree(site, copy)
        done = called(["backup", archive, "--site", copy])
        assert done.returncode == 0, done.stderr
        return archive.read_bytes()
