"""Names leave the record without a hole in it: what was done stays, under ids, and the audit stays green."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.evidence import names
from ledger.evidence.plans import read_plan
from ledger.machine_time import machine_time
from ledger.past import snapshot_as_of
from ledger.project_time import project_now
from ledger.questions.log import events, mentions, naming_plans
from ledger.questions.people import people, person_name
from ledger.questions.records import sign_offs
from ledger.questions.site import head, site_of
from ledger.reading import open_snapshot
from ledger.subjects.people.decisions import redact, take_away
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, finish, start
from ledger.trust.audit import audit
from ledger.trust.backup import back_up, restore
from ledger.trust.package import write_package
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, InputError, NotSatisfiedError
from tests.ledger.conftest import Clock, small_plan
from tests.ledger.test_golden import GOLDEN

NAME = b"Lena Ad"


def redacted(ledger: Ledger, person: str = "lead") -> None:
    redact(ledger, "pm", person, "left the company")
    assert take_away(ledger) == 1


@pytest.fixture
def signed(ledger: Ledger) -> Ledger:
    """Return a ledger in which Lena approved something."""
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    sign(ledger, "lead", "001@site")
    return ledger


def places_of(name: bytes, folder: Path) -> Iterator[str]:
    """Return every file that holds a name, to the last byte, and every table of the ledger."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and name in path.read_bytes():
            yield path.name
        if path.name == "ledger.db":
            with open_snapshot(path.parent) as snapshot:
                for (table,) in snapshot.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                    if any(
                        name.decode() in str(row) for row in snapshot.db.execute(f'SELECT * FROM "{table}"').fetchall()
                    ):
                        yield table


def test_a_name_lies_in_one_document_and_one_row(signed: Ledger) -> None:
    """Neither plan nor event nor anything else holds it; that is what makes it possible to take it away."""
    (document,) = names.documents_of(signed.site_dir, "lead")

    assert set(places_of(NAME, signed.site_dir)) - {"ledger.db", "ledger.db-wal"} == {document, "person_name"}
    with open_snapshot(signed.site_dir) as snapshot:
        assert [s.name for s in sign_offs(snapshot)] == ["Lena Ad"]


def test_after_redaction_the_name_is_nowhere_and_the_record_is_whole(signed: Ledger) -> None:
    """Screens, the past, the package and a backup show the id; the audit and the others' names stay."""
    redacted(signed)

    assert list(places_of(NAME, signed.site_dir)) == []
    assert audit(signed.site_dir) == []
    with open_snapshot(signed.site_dir) as snapshot:
        assert [(s.person, s.name) for s in sign_offs(snapshot)] == [("lead", "lead")]
        assert {p.id: p.name for p in people(snapshot)} == {
            "pm": "Petra Manz",
            "sponsor": "Sam Pons",
            "lead": "lead",
            "lead2": "Leo Zwei",
            "tech": "Tom Tech",
            "guest": "Gus",
        }
        before = head(snapshot).seq - 1
    with snapshot_as_of(open_snapshot(signed.site_dir, project_now()), str(before)) as past:
        assert [s.name for s in sign_offs(past)] == ["lead"]


def test_packages_and_backups_of_a_redacted_site_verify_without_the_name(signed: Ledger, tmp_path: Path) -> None:
    """What leaves the site afterwards is as complete as before, but for the name."""
    write_package(signed.site_dir, tmp_path / "before")
    redacted(signed)

    write_package(signed.site_dir, tmp_path / "after")
    (signed.site_dir / "site.yaml").write_text("name: small\n")
    back_up(signed.site_dir, tmp_path / "b.tar.gz", made_at=machine_time(), program="test")
    restore(tmp_path / "b.tar.gz", tmp_path / "restored")

    assert len(list(places_of(NAME, tmp_path / "before"))) == 1
    assert list(places_of(NAME, tmp_path / "after")) == []
    assert len(list(places_of(b"Petra Manz", tmp_path / "after"))) == 1
    assert audit(tmp_path / "restored") == []
    with open_snapshot(tmp_path / "restored") as snapshot:
        assert person_name(snapshot, "pm") == ("pm", "Petra Manz", False)
    for made in ("before", "after"):
        done = subprocess.run([tmp_path / made / "verify.sh"], capture_output=True, text=True, check=False)
        assert (done.returncode, "NOT valid" in done.stdout) == (CHAIN_ONLY, False), done.stdout


CHAIN_ONLY = 4
"""What verify.sh ends with where the owner has not signed the package."""

SITE_FILE = "people:\n  - {id: lead, name: Lena Ad}\n  - {id: pm, name: Petra Manz}\n"


def test_a_backup_says_that_its_site_file_names_who_was_redacted(signed: Ledger, tmp_path: Path) -> None:
    """site.yaml is the reader's own file; it is packed as it is, and they learn what it says."""
    (signed.site_dir / "site.yaml").write_text(SITE_FILE)
    before = back_up(signed.site_dir, tmp_path / "before.tar.gz", made_at=machine_time(), program="test")
    redacted(signed)

    after = back_up(signed.site_dir, tmp_path / "after.tar.gz", made_at=machine_time(), program="test")
    restore(tmp_path / "after.tar.gz", tmp_path / "restored")
    (signed.site_dir / "site.yaml").write_text(SITE_FILE.replace("Lena Ad", "lead"))
    corrected = back_up(signed.site_dir, tmp_path / "corrected.tar.gz", made_at=machine_time(), program="test")

    assert (before.redacted_but_named, after.redacted_but_named, corrected.redacted_but_named) == ((), ("lead",), ())
    assert list(places_of(NAME, tmp_path / "restored")) == ["site.yaml"]


@pytest.mark.own_file
@pytest.mark.parametrize(
    ("person", "named"),
    [
        ("{id: lead, name: Lena Ad}", ["lead"]),
        ("{id: lead, name: lena ad}", ["lead"]),
        ("{id: lead, name: lead}", []),
        ("{id: lead, name: ''}", []),
        ("{id: lead}", []),
        ("{id: pm, name: Petra Manz}", []),
    ],
)
def test_who_was_redacted_is_named_by_another_name_than_their_id(tmp_path: Path, person: str, named: list[str]) -> None:
    (tmp_path / "site.yaml").write_text(f"people:\n  - {person}\n")

    assert names.redacted_in_site_file(tmp_path, ["lead"]) == named


def test_who_was_redacted_and_is_named_in_the_file_of_people_is_known_too(tmp_path: Path) -> None:
    (tmp_path / "site.yaml").write_text("people: people.csv\n")
    (tmp_path / "people.csv").write_text("id;name;roles\nlead;Lena Ad;network-lead\npm;Petra Manz;owner-pm\n")

    assert names.redacted_in_site_file(tmp_path, ["lead", "tech"]) == ["lead"]


@pytest.mark.parametrize("text", ["", "people: 3", "people: [1, {name: x}]", "\tno yaml: ["])
def test_a_site_file_that_does_not_read_hinders_no_backup(signed: Ledger, tmp_path: Path, text: str) -> None:
    """It is put away as it is, also half written."""
    redacted(signed)
    (signed.site_dir / "site.yaml").write_text(text)

    made = back_up(signed.site_dir, tmp_path / "b.tar.gz", made_at=machine_time(), program="test")

    assert made.redacted_but_named == ()


def test_an_older_backup_says_whom_it_names_since_it_knows_of_no_later_redaction(
    signed: Ledger, tmp_path: Path, clock: Clock
) -> None:
    """The name comes back with the record of that day, and not in silence; redacting it there is a decision again."""
    (signed.site_dir / "site.yaml").write_text("name: small\n")
    back_up(signed.site_dir, tmp_path / "old.tar.gz", made_at=machine_time(), program="test")
    redacted(signed)

    made = restore(tmp_path / "old.tar.gz", tmp_path / "again")

    assert made.named == ("guest", "lead", "lead2", "pm", "sponsor", "tech")
    assert list(places_of(NAME, tmp_path / "again"))
    with Ledger.open(tmp_path / "again", clock=clock) as ledger:
        redacted(ledger)
    assert list(places_of(NAME, tmp_path / "again")) == []
    assert audit(tmp_path / "again") == []


def test_what_a_killed_process_left_of_a_document_goes_with_the_name(signed: Ledger) -> None:
    """Half a document has no name of its own to be found by, and may hold the person's."""
    left = signed.site_dir / "evidence" / "people" / ".new-killed"
    left.write_text('{"format":1,"id":"lead","name":"Lena Ad"')

    redacted(signed)

    assert list(places_of(NAME, signed.site_dir)) == []


def test_a_later_plan_does_not_bring_the_name_back(signed: Ledger) -> None:
    """site.yaml may still hold it for years."""
    redacted(signed)

    adopt_plan(signed, "pm", small_plan(), reason="next")

    assert list(places_of(NAME, signed.site_dir)) == []
    with open_snapshot(signed.site_dir) as snapshot:
        assert person_name(snapshot, "lead") == ("lead", "lead", True)
    assert audit(signed.site_dir) == []


def test_a_person_who_left_the_plan_keeps_their_name_until_redacted(signed: Ledger) -> None:
    """What they signed stays theirs."""
    people = tuple(p for p in small_plan().people if p.id != "lead")
    adopt_plan(signed, "pm", small_plan(people=people), reason="lena left")
    with open_snapshot(signed.site_dir) as snapshot:
        assert [s.name for s in sign_offs(snapshot)] == ["Lena Ad"]

    redacted(signed)

    with open_snapshot(signed.site_dir) as snapshot:
        assert [s.name for s in sign_offs(snapshot)] == ["lead"]


def test_every_earlier_spelling_goes_too(signed: Ledger) -> None:
    """A person may have married meanwhile; there is a document for each name."""
    people = tuple(p.model_copy(update={"name": "Lena Bd"}) if p.id == "lead" else p for p in small_plan().people)
    adopt_plan(signed, "pm", small_plan(people=people), reason="a new name")

    redact(signed, "pm", "lead", "asked for")

    assert take_away(signed) == 2
    assert list(places_of(b"Lena", signed.site_dir)) == []


def test_the_same_name_is_kept_in_the_same_document(signed: Ledger) -> None:
    """Adopting fifty revisions makes one document a person."""
    adopt_plan(signed, "pm", small_plan(), reason="next")

    assert len(list((signed.site_dir / "evidence" / "people").iterdir())) == len(small_plan().people)


def test_the_digest_of_a_name_tells_nobody_the_name(tmp_path: Path) -> None:
    """Two sites that name the same person have different documents: trying names one after the other finds nothing."""
    one, other = (names.keep_names(tmp_path / site, small_plan().people) for site in ("a", "b"))

    assert one.keys() == other.keys()
    assert not set(one.values()) & set(other.values())


@pytest.mark.own_file
def test_a_document_says_whose_name_it_is_under_a_salt_that_nobody_guesses(tmp_path: Path) -> None:
    """Who is called by their id has none."""
    one = small_plan().people[0]
    people = [
        one.model_copy(update={"id": key, "name": name}) for key, name in (("abc", "zoe"), ("zoe", "abc"), ("x", "x"))
    ]

    kept = names.keep_names(tmp_path, people)

    said = [json.loads(document) for document in names.documents(tmp_path)]
    assert sorted((each["format"], each["id"], each["name"], len(each["salt"])) for each in said) == [
        (1, "abc", "zoe", 32),
        (1, "zoe", "abc", 32),
    ]
    assert {key: names.name_in(tmp_path, digest) for key, digest in kept.items()} == {"abc": "zoe", "zoe": "abc"}


NAMED = b'{"id":"a","name":"A","salt":"%s"}'
LENGTH = 10_000 - len(NAMED % b"")


@pytest.mark.own_file
@pytest.mark.parametrize(
    ("content", "is_kept"),
    [
        (NAMED % (b"s" * LENGTH), True),
        (NAMED % (b"s" * (LENGTH + 1)), False),
        (b'{"id":"a"}', False),
        (b'{"id":1,"name":"A"}', False),
        (b'{"id":"a","name":1}', False),
        (b"[]", False),
        (b"\xff", False),
    ],
    ids=["as long as may be", "longer", "no name", "a number as id", "a number as name", "a list", "no text"],
)
def test_what_another_folder_made_is_kept_if_it_has_a_name(tmp_path: Path, content: bytes, *, is_kept: bool) -> None:
    """A shared log may hold anything."""
    for _ in range(2):
        names.take_over(tmp_path, content)

    assert list(names.documents(tmp_path)) == [content] * is_kept


@pytest.mark.own_file
@pytest.mark.parametrize("digest", ["0" * 64, "f" * 64])
def test_a_document_that_was_changed_has_nobodys_name(tmp_path: Path, digest: str) -> None:
    place = names.place_of(tmp_path, digest)
    place.parent.mkdir(parents=True)
    place.write_bytes(NAMED % b"")

    assert names.name_in(tmp_path, digest) is None
    assert names.people_named(tmp_path) == []


def test_a_document_that_vanished_without_a_decision_is_a_finding(signed: Ledger) -> None:
    """Only an event makes it right that a name is missing."""
    (document,) = names.documents_of(signed.site_dir, "lead")
    names.forget(signed.site_dir, [document])

    found = audit(signed.site_dir)

    assert [f.where for f in found] == [f"evidence {document[:12]}"]
    assert "the name of lead" in found[0].message


def test_a_name_that_came_back_from_a_backup_is_a_finding_until_removed(signed: Ledger) -> None:
    """The removal may have been cut short, or somebody restored too much."""
    redact(signed, "pm", "lead", "left the company")
    found = audit(signed.site_dir)
    assert ["clusterwright redact lead" in f.message for f in found] == [True]

    take_away(signed)

    assert audit(signed.site_dir) == []


def test_who_may_redact_and_why(signed: Ledger) -> None:
    """The person, the owner, who may adopt plans; with a reason, once, and only people there are."""
    for actor, person, reason, said in (
        ("tech", "lead", "because", "may not redact the name of lead"),
        ("pm", "nobody", "because", "nobody at this site"),
        ("pm", "lead", " ", "needs a reason"),
    ):
        with pytest.raises(ClusterwrightError, match=said):
            redact(signed, actor, person, reason)
    by_sponsor = redact(signed, "sponsor", "guest", "asked for")
    by_self = redact(signed, "lead", "lead", "my right")
    assert [one.payload.model_dump()["role"] for one in (by_sponsor, by_self)] == ["sponsor", "the person"]
    with pytest.raises(NotSatisfiedError, match="already"):
        redact(signed, "pm", "lead", "again")
    with pytest.raises(InputError, match="nobody"):
        redact(signed, "pm", "../lead", "x")


def test_what_people_wrote_is_named_since_it_cannot_be_changed(signed: Ledger) -> None:
    """A comment is in the chain for ever; the person who redacts reads where."""
    event = comment(signed, "tech", "001@site", "Lena Ad was here, 100% sure")

    with open_snapshot(signed.site_dir) as snapshot:
        assert mentions(snapshot, "Lena Ad") == [event.seq]
        assert mentions(snapshot, "100%") == [event.seq]
        assert mentions(snapshot, "10_%") == []
        assert mentions(snapshot, " ") == []
        assert naming_plans(snapshot) == []


def test_a_key_loses_the_comment_that_names_its_owner(empty: Ledger, clock: Clock) -> None:
    """`ssh-keygen` writes user@host behind every key."""
    key = "ssh-ed25519 " + "A" * 68
    people = tuple(p.model_copy(update={"ssh_key": f"{key} lena.ad@laptop"}) for p in small_plan().people[:1])

    adopt_plan(empty, "pm", small_plan(people=people), reason="first")

    with open_snapshot(empty.site_dir) as snapshot:
        assert read_plan(snapshot).people[0].ssh_key == key
    assert list(places_of(b"lena.ad", empty.site_dir)) == []


def test_a_ledger_of_the_first_release_says_what_cannot_be_taken_away(tmp_path: Path) -> None:
    """Its plan and its sign-offs hold names in the chain itself: screens show ids, and the rest is said."""
    shutil.unpack_archive(GOLDEN / "v0.1.0.tar.xz", tmp_path)
    site = tmp_path / "v0.1.0"
    with open_snapshot(site) as snapshot:
        person = sign_offs(snapshot)[0].person
        name = sign_offs(snapshot)[0].name
        seq = head(snapshot).seq
    assert name != person

    with Ledger.open(site) as ledger:
        redact(ledger, reader_owner(site), person, "asked for")
        assert take_away(ledger) == 0

    assert audit(site) == []
    with open_snapshot(site) as snapshot:
        assert naming_plans(snapshot) == [1]
        assert mentions(snapshot, name)
        assert {s.name for s in sign_offs(snapshot) if s.person == person} == {person}
        assert name not in json.dumps([e.payload for e in events(snapshot)])
    with snapshot_as_of(open_snapshot(site, project_now()), str(seq)) as past:
        assert {s.name for s in sign_offs(past) if s.person == person} == {person}


def reader_owner(site: Path) -> str:
    with open_snapshot(site) as snapshot:
        return site_of(snapshot).owner
