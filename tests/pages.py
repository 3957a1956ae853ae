"""Where each page by hand is typed: the site that it presupposes, what is there before some of its lines, and how they end."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import yaml
from openpyxl import load_workbook
from reportlab.pdfgen.canvas import Canvas

from clusterwright.planning import plan_of
from ledger.account import machine_account
from ledger.entries import RunOutcome
from ledger.project_time import project_now
from ledger.questions.activities import activities
from ledger.questions.records import releases
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity, State
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import settle
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.evidence_decisions import attach, attest
from ledger.writing import Ledger
from schedule.exchange.writing import Form, write_exchange
from steps.acceptance.measured import Measured
from tests import commands
from tests.clusterwright.command_lines import words_of
from tests.conftest import ADOPTED_AT, Ended, project_time_at
from tests.flows.receiving import receiving
from tests.ledger.conftest import begun, earlier_rules, small_plan
from tests.ledger.journey import take
from tests.schedule.other_plans import other_plan

ROOT = Path(__file__).parents[1]
NOT_SATISFIED, BAD_INPUT, WAITS_FOR_A_PERSON = 1, 2, 4
RACKS = "H08@pod-001"

Make = Callable[["Place"], object]


def nothing(_: Place) -> None:
    """Prepare nothing."""


@dataclass
class Place:
    """Where a page is typed: a copy of the adopted site, if the page does not make one, and what is there until the page is done."""

    folder: Path
    adopted: Path
    until_the_end: ExitStack
    cwd: Path = field(init=False)
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cwd = self.folder
        self.env["HOME"] = str(self.folder / "home")

    def at_a_site(self, name: str = "site") -> None:
        """Stand in a fresh copy of the adopted site."""
        self.cwd = self.folder / name
        shutil.copytree(self.adopted, self.cwd)

    def do(self, line: str, ends: int = 0, typed: str = "") -> Ended:
        """Carry out a command line as a shell does, and hold its exit code against the one expected."""
        done = self.carry_out(line, typed)
        assert done.returncode == ends, f"{line}: {done.stdout}{done.stderr}"
        return done

    def carry_out(self, line: str, typed: str = "") -> Ended:
        """Carry out a command line as a shell does: with its folders, and with its output in the file that it names."""
        words = [self.inside(word) for word in words_of(line)]
        done = commands.called(words, cwd=self.cwd, env=self.env, typed=typed)
        if into := re.search(r" > (\S+)", line):
            (self.cwd / self.inside(into[1])).write_text(done.stdout, encoding="utf-8")
        return done

    def inside(self, word: str) -> str:
        """Return a word with folders outside the site in this place: nothing is written anywhere else."""
        word = re.sub(r"^~/", f"{self.folder}/home/", word)
        return re.sub(r"^/(mnt|srv)/", rf"{self.folder}/\1/", word)

    def write(self, name: str, text: str) -> None:
        """Write a file beside the site's."""
        path = self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class Note(NamedTuple):
    """What a line of a page needs: what is there before it, what is typed into it, and how it ends if not with 0, as the page says."""

    before: Make = nothing
    typed: str = ""
    ends: int = 0


class Typed(NamedTuple):
    """How a page is typed: what is there first, and notes on its lines by how they begin, one for each time that such a line comes."""

    first: Make = Place.at_a_site
    notes: Mapping[str, tuple[Note, ...]] = {}
    words: Mapping[str, str] = {}
    """What a reader writes in the place of words of the page."""
    acting: str = "owner"
    """Who acts where the page leaves it out: one account has several people at the site of a test."""


def on_paper(*names: str) -> Make:
    """Return what lays papers beside the site, for evidence."""

    def make(place: Place) -> None:
        place.at_a_site()
        for name in names:
            canvas = Canvas(str(place.cwd / name))
            canvas.drawString(72, 720, name)
            canvas.save()

    return make


def of_organisations(place: Place) -> None:
    """Stand in a site two of whose people are contractors'."""
    place.at_a_site()
    held = yaml.safe_load((place.cwd / "site.yaml").read_text(encoding="utf-8"))
    for person, organisation in zip(held["people"][1:], ("Cable Works", "Sparks Ltd"), strict=True):
        person["organisation"] = organisation
    place.write("site.yaml", yaml.safe_dump(held, sort_keys=False))
    with Ledger.open(place.cwd) as ledger:
        adopt_plan(ledger, "owner", plan_of(place.cwd), reason="contractors")


# checklists.md


def racks_are_set(place: Place) -> None:
    """Let the racks be set since today."""
    place.at_a_site()
    place.do(f"start {RACKS} --out-of-sequence 'they came early' --as operator")


def another_site(place: Place) -> None:
    """Stand in a site of which nothing is recorded yet."""
    place.at_a_site("another")


def a_wrong_sheet(place: Place) -> None:
    """Write the sheet of the field with a serial number that is at two racks."""
    place.write("field.csv", FIELD.format(serial="RK-0417"))


def a_right_sheet(place: Place) -> None:
    """Write the sheet of the field."""
    place.write("field.csv", FIELD.format(serial="RK-0426"))


FIELD = """item,result,rack.bond_resistance [mohm],serial,note
hall-1/row-02/rack-04,pass,40,RK-0424,
hall-1/row-02/rack-05,pass,40,RK-0425,
hall-1/row-02/rack-08,,,,
hall-1/row-02/rack-06,pass,40,{serial},
hall-1/row-02/rack-07,fail,40,,door does not close
hall-1/row-02/rack-02,pass,40,,
"""
SCANNED = """HALL-1/ROW-02/RACK-03 RK-0421
hall-1/row-02/rack-03
hall-1/row-02/rack-30
hall-1/row-02/rack-02
"""
CHECKLISTS = Typed(
    first=racks_are_set,
    notes={
        "start": (Note(another_site),),
        "check scan": (Note(), Note(typed=SCANNED, ends=BAD_INPUT)),
        "check import": (Note(a_right_sheet), Note(a_wrong_sheet, ends=BAD_INPUT), Note(a_right_sheet), Note()),
        "ncr close": (Note(ends=NOT_SATISFIED),),
    },
    words={"ITEM": "hall-1/row-02/rack-04", "METRIC=VALUE…": "rack.bond_resistance=40mohm", "SN": "RK-0424"},
    acting="operator",
)


# ledger.md, runs.md


def signed_with_keys(place: Place) -> None:
    """Stand in a signed site whose owner has a key, with two calculations that wait for signatures."""
    held = yaml.safe_load((place.adopted / "site.yaml").read_text(encoding="utf-8"))
    key = place.folder / "home" / ".ssh" / "id_ed25519"
    key.parent.mkdir(parents=True)
    for name in ("id_ed25519", "technician"):
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key.with_name(name))]
        subprocess.run(made, check=True, stdin=subprocess.DEVNULL)
    held["assurance"] = "signed"
    held["people"] = [
        _with_key(key, "owner", "owner-pm", "electrical-lead"),
        _with_key(key.with_name("technician"), "tech", "electrical-engineer"),
    ]
    place.cwd = place.folder / "signed"
    place.write("site.yaml", yaml.safe_dump(held, sort_keys=False))


def _with_key(key: Path, name: str, *roles: str) -> dict[str, object]:
    public = key.with_suffix(".pub").read_text(encoding="utf-8").strip()
    return {"id": name, "name": name.title(), "roles": list(roles), "account": machine_account(), "ssh_key": public}


def a_calculation_waits(place: Place) -> None:
    """Let a calculation of a signed site wait for its signature."""
    signed_with_keys(place)
    with project_time_at(ADOPTED_AT):
        place.do("plan adopt --yes --as owner")
    place.write("sum.csv", "what,kW\nrack,10.2\n")
    calculated(place, "071@site", "power-calculation")


def the_next_one_waits(place: Place) -> None:
    """Let the calculation after it wait."""
    calculated(place, "085@site", "breaker-calculation")


def calculated(place: Place, name: str, kind: str) -> None:
    """Let the technician attest a calculation, with their key."""
    place.env["CLUSTERWRIGHT_KEY"] = place.inside("~/.ssh/technician")
    place.do(f"attest {name} --reason 'on paper' --evidence sum.csv --as tech")
    place.do(f"attach {name} --file sum.csv --kind {kind} --as tech")
    place.env["CLUSTERWRIGHT_KEY"] = place.inside("~/.ssh/id_ed25519")


def signed_elsewhere(place: Place) -> None:
    """Sign the request on another machine, as the page says."""
    key = place.folder / "home" / ".ssh" / "id_ed25519"
    sign = ["ssh-keygen", "-Y", "sign", "-n", "clusterwright", "-f", str(key), "request.json"]
    subprocess.run(sign, cwd=place.cwd, check=True, capture_output=True)


def a_database_is_named(place: Place) -> None:
    """Name a database as the page does: what prints its script asks it nothing."""
    place.write("ledger.yaml", "database: postgresql://db.example.org/site_a?sslmode=verify-full\n")


def none_is_named(place: Place) -> None:
    """Let the record be in the folder again."""
    (place.cwd / "ledger.yaml").unlink()


def places_elsewhere(place: Place) -> None:
    """Make the folder and the repository in which anchors are kept."""
    (place.folder / "mnt" / "elsewhere").mkdir(parents=True)
    folder = place.folder / "home" / "site-repository"
    folder.mkdir()
    author = [("config", f"user.{key}", value) for key, value in (("name", "Site"), ("email", "site@example.org"))]
    for words in (("init", "-q"), *author, ("commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(["git", *words], cwd=folder, check=True)


LEDGER = Typed(
    first=a_calculation_waits,
    notes={
        "sign 085@site --export request.json": (Note(the_next_one_waits),),
        "sign --import": (Note(signed_elsewhere),),
        "database roles": (Note(a_database_is_named),),
        "redact": (Note(none_is_named),),
        "anchor": (Note(places_elsewhere), Note()),
        "backup": (Note(lambda place: (place.folder / "mnt" / "backups").mkdir(parents=True)),),
    },
    words={"PERSON": "tech --yes", "120": "5"},
)


def engine_key_enrolled(place: Place) -> None:
    """Write the line that `keys engine` prints into site.yaml."""
    (place.cwd / "site.yaml").open("a", encoding="utf-8").write(place.do("keys engine").stdout)


RUNS = Typed(first=signed_with_keys, notes={"plan adopt": (Note(engine_key_enrolled),)})


# field-sheets.md


def cables_are_given(place: Place) -> None:
    """Let a contractor have the cables, and order the servers."""
    of_organisations(place)
    place.do("assign 046@pod-001 --organisation 'Cable Works' --as owner")
    place.do("order '001@site#gpu-server' --supplier Maker --reference 'PO 1' --out-of-sequence early --as owner")


def a_cell_is_wrong(place: Place) -> None:
    """Fill in two cables, one of them wrongly."""
    book = load_workbook(place.cwd / "cables.xlsx")
    sheet = book["Items"]
    column = next(cell.column for cell in sheet[1] if cell.value == "result")
    sheet.cell(2, column).value, sheet.cell(3, column).value = "pass", "maybe"
    book.save(place.cwd / "cables.xlsx")


SHEETS = Typed(
    first=cables_are_given,
    notes={
        "import sheet cables.xlsx": (Note(a_cell_is_wrong), Note(ends=NOT_SATISFIED)),
    },
)


# found-links.md, pair-tests.md, switches.md, inventory.md, lab.md


def a_leaf_was_read(place: Place) -> None:
    """Name the devices, and keep the answer of a switch that did not answer."""
    place.at_a_site()
    (place.cwd / "inventory").mkdir()
    place.write("names.csv", "drawn,device,ports\npod-*-leaf-*,,swp{}\n")
    place.write("found/pod-001-leaf-01.json", '{"unreachable": "no route to host"}')


FOUND_LINKS = Typed(first=a_leaf_was_read, notes={"fabric compare": (Note(ends=NOT_SATISFIED),)})


def pairs_were_tested(place: Place) -> None:
    """Write the tables of a harness."""
    place.at_a_site()
    rows = [f"pod-001-n0{a},pod-001-n0{b},1,{119 if b == 3 else 390}" for a, b in ((1, 2), (1, 3), (2, 3))]
    place.write("pairs.csv", "\n".join(["a,b,rail,value", *rows, *rows, ""]))
    place.write("runs.csv", "slow,servers\nyes,a b c d\nno,a b\n")


PAIR_TESTS = Typed(first=pairs_were_tested, notes={"fabric culprits": (Note(ends=NOT_SATISFIED),)})


def a_lab_site(place: Place) -> None:
    """Stand in a new site of the preset `lab`, with the addresses of its servers."""
    place.do("init --preset lab lab")
    place.cwd = place.folder / "lab"
    place.write("services.yaml", "ntp: [10.0.0.5]\ndns: [10.0.0.6]\nsyslog: [10.0.0.7]\n")


def read_back(place: Place) -> None:
    """Let the switches have what they were given."""
    shutil.copytree(place.cwd / "switches", place.cwd / "found")


SWITCHES = Typed(first=a_lab_site, notes={"fabric drift": (Note(read_back),)})


def hosts_of_a_lab(place: Place) -> None:
    """Write the inventory of the page: two hosts, of which one says its BMC's address."""
    a_lab_site(place)
    hosts = "{a: {bmc_address: 10.0.0.16, ansible_connection: local}, pod-001-n02.example.org: }"
    place.write("inventory/hosts.yml", f"all: {{hosts: {hosts}}}\n")
    text = (place.cwd / "site.yaml").read_text(encoding="utf-8")
    place.write("site.yaml", text.replace("# inventory: inventory/hosts.yml", "inventory: inventory/hosts.yml"))


INVENTORY = Typed(
    first=hosts_of_a_lab, notes={"inventory": (Note(ends=NOT_SATISFIED),), "allow": (Note(ends=WAITS_FOR_A_PERSON),)}
)


# interchange.md


def their_plan(place: Place) -> None:
    """Write the plan that was made elsewhere."""
    write_exchange(other_plan(), place.cwd / "p6.xer", Form.XER)


def mapped(place: Place) -> None:
    """Decide what each of their activities is of ours."""
    place.write(
        "p6-map.csv", "theirs,ours\nD1000,036@site\nD1010,071@site\nD1020,071@site\nB1000,086@pod-001\nB1010,new\n"
    )


INTERCHANGE = Typed(
    notes={
        "import schedule p6.xer --map p6-map.csv": (Note(their_plan), Note(mapped)),
    },
)


# people.md, notifications.md, reports.md, team.md


def a_decision_and_a_rack(place: Place) -> None:
    """Let a decision be ready to sign, and a rack not conform."""
    racks_are_set(place)
    place.do("check item H08@pod-001 hall-1/row-02/rack-02 rack.bond_resistance=0.31ohm --as operator")
    place.write("note.txt", "decided\n")
    at = "--at 2026-11-24 --late-because 'on paper'"
    place.do(f"measure 141@site image.pinned_by_digest true bool --source record {at} --as operator")
    place.do(f"attach 141@site --file note.txt --kind decision-record {at} --as operator")


def under_earlier_rules(place: Place) -> None:
    """Stand in a small site that was begun under an earlier version of the rules."""
    place.cwd = place.folder / "earlier"
    place.write("site.yaml", "name: Small\n")
    mine = {"id": "owner", "name": "Owner", "roles": ["owner-pm"], "account": machine_account()}
    with earlier_rules(), begun(place.cwd, project_now, owner="owner") as ledger:
        adopt_plan(ledger, "owner", small_plan(people=[mine]), reason="first plan")


def back(place: Place) -> None:
    """Stand in the first site again."""
    place.cwd = place.folder / "site"


def the_rack_is_put_right(place: Place) -> None:
    """Measure the bond of the rack again."""
    place.do("check item H08@pod-001 hall-1/row-02/rack-02 rack.bond_resistance=40mohm --as operator")


PEOPLE = Typed(
    first=a_decision_and_a_rack,
    notes={
        "authority rules": (Note(under_earlier_rules), Note()),
        "ncr list": (Note(back),),
        "ncr close": (Note(the_rack_is_put_right),),
    },
    words={"ann": "operator"},
)


def messages_are_taken(place: Place) -> None:
    """Let an address of notify.yaml take messages while the page is typed."""
    place.at_a_site()
    receiver = place.until_the_end.enter_context(receiving())
    place.write(
        "notify.yaml", f"addresses:\n  desk: {{url: '{receiver.url()}'}}\nrules:\n  - {{who: owner, to: [desk]}}\n"
    )
    (place.cwd / "notify.yaml").chmod(0o600)


def work_of_a_contractor(place: Place) -> None:
    """Let a contractor have the racks."""
    of_organisations(place)
    place.do("assign H08@pod-001 --organisation 'Sparks Ltd' --as owner")


def a_worker(place: Place) -> None:
    """Write the file of a worker, as on the page."""
    place.cwd = place.folder / "srv" / "worker-1"
    place.write("worker.yaml", shown("how-to/team.md", "name: worker-1"))


# schedule.md, catalog.md, localhost.md


def a_network(place: Place) -> None:
    """Write a network as a file, and the one of the page as a folder: its resources and its calendars are in files of their own."""
    place.write(
        "activities.csv",
        "start,2027-01-04\ndata date,2027-01-04\nid,duration,predecessors\nA,5d,\nB,4ew,\nC,8d,AFS+4h\n",
    )
    for name, begin in (("activities", "start,"), ("resources", "resource,"), ("calendars", "calendar,")):
        place.write(f"project/{name}.csv", shown("reference/schedule.md", begin))


def shown(page: str, begin: str) -> str:
    """Return the block of a page that begins so, as a reader writes it into a file."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks: list[str] = re.findall(r"^```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return next(block for block in blocks if block.startswith(begin))


def a_step_of_ones_own(place: Place) -> None:
    """Write the step that the page lints: nothing reads its metric."""
    place.at_a_site()
    place.write("catalog/X01_label_rows.yaml", X01)


X01 = """id: "X01"
slug: label-rows
title: Label the rows
description: "Each row has its number at both ends."
phase: power
section: Own
kind: field
scope: pod
crew: {role: rigger, size: 1}
duration:
  fixed: {value: 1, unit: crew-day, source: assumption}
links:
  - {after: "H09", map: same, reason: "racks stand"}
accept:
  - {metric: rows.labelled_ratio, op: '==', value: 1, unit: ratio, source: 'our standard'}
sign_off:
  policy: {roles: [facility-lead]}
sources: {}
"""


# localhost.md


def in_its_folder(place: Place) -> None:
    """Go into the folder of the machine, as the page says."""
    place.cwd = place.folder / "my-machine"


def found_ports(place: Place) -> None:
    """Let everything before the stress be done, and let the scan have found two ports: what `up` does on this machine."""
    place.write("note.txt", "looked at\n")
    settle_all(place, but={"035@pod-001", "068@site"})
    ran(place, "068@site", Measured("ports.unexpected", Decimal(2), "count", "localhost", "ss"))


def found_hardware_errors(place: Place) -> None:
    """Let the stress have run after its release, and the kernel's log have an error."""
    ran(place, "035@pod-001", Measured("kernel.hardware_errors", Decimal(1), "count", "localhost", "dmesg"))


def everything_else_is_done(place: Place) -> None:
    """Let all be done but go-live."""
    settle_all(place, but={"195@site"})


def ran(place: Place, name: str, *readings: Measured) -> None:
    """Record a run as an engine does, of the playbook that was released, if any, with what it read."""
    with open_snapshot(place.cwd) as snapshot:
        digest = next((one.playbook_digest for one in releases(snapshot, name)), None)
    with Ledger.open(place.cwd) as ledger:
        assert take(ledger, name, hosts=["localhost"], playbook_digest=digest)
        settle(ledger, "engine-1", name, RunOutcome("ok", measurements=readings, playbook_digest=digest))


def settle_all(place: Place, but: set[str]) -> None:
    """Attest and sign whatever people may, until nothing is left."""
    with Ledger.open(place.cwd) as ledger:
        while rows := [row for row in rows_of(place) if row.id not in but and row.state in OPEN]:
            for row in rows:
                if row.state is State.AWAITING_SIGN_OFF:
                    for kind in row.plan.policy.evidence:
                        attach(ledger, "operator", row.id, place.cwd / "note.txt", kind)
                    for person in ("owner", "reviewer")[: row.plan.policy.quorum]:
                        sign(ledger, person, row.id)
                else:
                    attest(ledger, "operator", row.id, "looked at")


OPEN = {State.READY, State.CHECKED_NOT_MET, State.FAILED, State.AWAITING_SIGN_OFF}
"""What waits for people."""


def rows_of(place: Place) -> list[Activity]:
    """Return the activities as they are now."""
    with open_snapshot(place.cwd) as snapshot:
        return activities(snapshot)


LOCALHOST = Typed(
    first=nothing,
    notes={
        "plan": (Note(in_its_folder),),
        "reminders": (Note(found_ports),),
        "waive": (Note(found_hardware_errors),),
        "why 195": (Note(everything_else_is_done),),
    },
)


PAGES: dict[str, Typed] = {
    "README.md": Typed(first=nothing),
    "docs/explanation/ledger.md": LEDGER,
    "docs/how-to/catalog.md": Typed(
        first=a_step_of_ones_own, notes={"catalog lint catalog/X01_label_rows.yaml": (Note(ends=NOT_SATISFIED),)}
    ),
    "docs/how-to/checklists.md": CHECKLISTS,
    "docs/how-to/field-sheets.md": SHEETS,
    "docs/how-to/found-links.md": FOUND_LINKS,
    "docs/how-to/interchange.md": INTERCHANGE,
    "docs/how-to/inventory.md": INVENTORY,
    "docs/how-to/lab.md": Typed(first=nothing),
    "docs/how-to/notifications.md": Typed(first=messages_are_taken),
    "docs/how-to/pair-tests.md": PAIR_TESTS,
    "docs/how-to/people.md": PEOPLE,
    "docs/how-to/reports.md": Typed(first=work_of_a_contractor),
    "docs/how-to/runs.md": RUNS,
    "docs/how-to/switches.md": SWITCHES,
    "docs/how-to/team.md": Typed(first=a_worker),
    "docs/reference/compute-steps.md": Typed(first=on_paper("letter.pdf", "pdu.pdf", "plant.pdf", "sample.pdf")),
    "docs/reference/design.md": Typed(words={"path/to/site.yaml": "site.yaml"}),
    "docs/reference/schedule.md": Typed(first=a_network, notes={"quality activities.csv": (Note(ends=NOT_SATISFIED),)}),
    "docs/tutorials/localhost.md": LOCALHOST,
}
"""The pages of which something is to be known; any other is typed at a copy of the adopted site."""
