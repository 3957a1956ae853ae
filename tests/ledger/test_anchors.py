"""A ledger cut off or rewritten whole is consistent in itself; an anchored head finds it out."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.work.decisions import comment
from ledger.trust.anchor_code import ALPHABET, CHARACTERS, read_code
from ledger.trust.anchor_git import add_note, git_anchors
from ledger.trust.anchor_words import read_anchors
from ledger.trust.anchors import KEPT, Anchor, file_anchors, head_anchor, keep, remember
from ledger.trust.audit import audit
from ledger.trust.chain import Finding
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError, UnreachableError
from tests.ledger.anchor_codes import checksum, code_of
from tests.ledger.conftest import Clock, begun, small_plan
from tests.ledger.journey import bought
from tests.ledger.rebuilding import Row, rewritten, truncated
from tests.needs import needs, require

BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


@pytest.fixture
def site(ledger: Ledger) -> Path:
    """Return a closed ledger of several events."""
    bought(ledger)
    ledger.close()
    return ledger.site_dir


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a git repository with a commit."""
    require("git")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "tester")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "tester@example.com")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    folder = tmp_path / "repository"
    git(tmp_path, "init", "-q", str(folder))
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, text=True).stdout


def otherwise(row: Row) -> Row:
    """Return an event with another story in it."""
    return row | {"payload": row["payload"].replace("PO 1", "PO 2")}


def placed(site: Path) -> int:
    """Return the event that placed the order."""
    from tests.ledger.rebuilding import events

    return next(int(row["seq"]) for row in events(site) if "PO 1" in row["payload"])


@pytest.mark.own_file
def test_a_ledger_cut_off_is_green_without_and_red_with_the_anchor(site: Path) -> None:
    head = head_anchor(site)

    truncated(site, head.seq - 2)

    assert audit(site) == []
    (found,) = audit(site, [head])
    assert found.where == f"event {head.seq}"
    assert f"ends with event {head.seq - 2}" in found.message


@pytest.mark.own_file
def test_a_ledger_rewritten_from_the_middle_is_green_without_and_red_with_the_anchor(site: Path) -> None:
    """Every hash after the change is made anew, and every row."""
    head, seq = head_anchor(site), placed(site)

    rewritten(site, seq, otherwise)

    assert audit(site) == []
    (found,) = audit(site, [head])
    assert found.where == f"event {head.seq}"
    assert "an earlier event was rewritten" in found.message


@pytest.mark.own_file
@pytest.mark.parametrize("as_code", [True, False])
def test_every_kind_of_anchor_finds_both(site: Path, tmp_path: Path, as_code: bool) -> None:
    head = head_anchor(site)
    keep(tmp_path / "anchors.jsonl", head)
    anchors = read_anchors(code_of(head.seq, head.hash).lower() if as_code else str(tmp_path / "anchors.jsonl"))
    assert audit(site, anchors) == []
    assert (audit(site, anchors).anchors.holding, audit(site, anchors).anchors.up_to) == (1, head.seq)
    shorter = tmp_path / "shorter"
    shutil.copytree(site, shorter)

    truncated(shorter, head.seq - 1)
    rewritten(site, placed(site), otherwise)

    assert [f.where for f in audit(site, anchors)] == [f"event {head.seq}"]
    assert [f.where for f in audit(shorter, anchors)] == [f"event {head.seq}"]


@pytest.mark.own_file
def test_the_finding_says_up_to_where_the_record_is_as_it_was(ledger: Ledger, clock: Clock) -> None:
    """Between the anchor that holds and the one that does not."""
    early = head_anchor(ledger.site_dir)
    bought(ledger)
    late = head_anchor(ledger.site_dir)
    ledger.close()

    rewritten(ledger.site_dir, placed(ledger.site_dir), otherwise)

    (found,) = audit(ledger.site_dir, [early, late])
    assert f"up to event {early.seq} the ledger agrees with its anchors" in found.message


def test_what_was_recorded_after_the_anchor_may_go_on(site: Path, clock: Clock) -> None:
    head = head_anchor(site)
    with Ledger.open(site, clock=clock) as ledger:
        comment(ledger, "pm", "001@site", "more")

    assert audit(site, [head]) == []


@pytest.mark.own_file
def test_a_site_remembers_its_own_anchors(site: Path) -> None:
    """An old copy put back is found without anybody's paper."""
    head = head_anchor(site)
    assert remember(site, head)
    assert not remember(site, head)
    assert (site / KEPT).stat().st_mode & 0o022 == 0

    truncated(site, head.seq - 1)

    assert [f.where for f in audit(site)] == [f"event {head.seq}"]
    with pytest.raises(NotSatisfiedError, match="must not be anchored"):
        head_anchor(site)


def test_a_garbled_memory_is_a_finding(site: Path) -> None:
    """The audit goes on without it."""
    (site / KEPT).parent.mkdir()
    (site / KEPT).write_text("garbled\n", encoding="utf-8")

    assert audit(site) == [Finding(str(KEPT), "anchors.jsonl, line 1 is no anchor: 'garbled'")]


def test_a_changed_last_event_is_not_anchored(site: Path) -> None:
    from tests.ledger.test_audit import tamper

    head = head_anchor(site)
    with Ledger.open(site) as ledger:
        tamper(ledger, "UPDATE event SET subject = 'other' WHERE seq = ?", head.seq)

    with pytest.raises(NotSatisfiedError, match="last event was changed"):
        head_anchor(site)


def test_another_ledger_in_its_place_is_found(site: Path, tmp_path: Path, clock: Clock) -> None:
    """A new genesis has another UUID; a file that speaks of this site too is a shared one."""
    head = head_anchor(site)
    other = tmp_path / "other"
    with begun(other, clock) as ledger:
        adopt_plan(ledger, "pm", small_plan(), reason="first")
    mine = head_anchor(other)

    (found,) = audit(other, [head._replace(source="file")])
    assert found == Finding("event 1", f"this is the ledger of {mine.site}; file anchors another: {head.site}")
    assert audit(other, [head._replace(source="file"), mine._replace(source="file")]) == []


def test_notes_and_trailers_of_a_repository_are_read_back(site: Path, repository: Path) -> None:
    head = head_anchor(site)

    assert add_note(repository, head)
    assert not add_note(repository, head)
    git(repository, "commit", "-q", "--allow-empty", "-m", f"second\n\n{head.trailer}")
    add_note(repository, head._replace(seq=1))

    said = json.loads(git(repository, "notes", "--ref", "clusterwright", "show", "HEAD~1"))
    assert (said["seq"], said["hash"]) == (head.seq, head.hash)
    found = git_anchors(repository)
    assert sorted((a.seq, a.hash) for a in found) == sorted(
        [(1, head.hash), (head.seq, head.hash), (head.seq, head.hash)]
    )
    assert read_anchors(str(repository)) == found


def test_a_hook_of_another_repository_does_not_mislead(
    site: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git sets variables for a hook, and they would take precedence over the folder that is named."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))

    add_note(repository, head_anchor(site))

    assert len(git_anchors(repository)) == 1


@needs("git")
def test_what_is_no_repository_is_said(site: Path, tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="not a git repository"):
        add_note(tmp_path, head_anchor(site))


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "{",
        '{"anchor": 1}',
        '{"anchor": 2, "site": "x", "seq": 1, "hash": "%s", "time": null}' % ("0" * 64),
        '{"anchor": 1, "site": "x", "seq": "1", "hash": "%s", "time": null}' % ("0" * 64),
        '{"anchor": 1, "site": "x", "seq": 1, "hash": "", "time": null}',
        "Clusterwright-Anchor: 1 abc x",
        "[1]",
    ],
)
def test_a_line_that_is_no_anchor_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "anchors"
    path.write_text(f"\n{line}\n", encoding="utf-8")

    with pytest.raises(InputError, match="line 2 is no anchor"):
        file_anchors(path)


def test_a_file_may_hold_every_form(site: Path, tmp_path: Path) -> None:
    head = head_anchor(site)
    path = tmp_path / "anchors"
    path.write_text(f"{head.line}\n{head.trailer}\n\n{code_of(head.seq, head.hash)}\n", encoding="utf-8")

    assert [(a.seq, a.site) for a in file_anchors(path)] == [
        (head.seq, head.site),
        (head.seq, head.site),
        (head.seq, None),
    ]
    assert audit(site, file_anchors(path)).anchors.holding == 3


def test_a_word_that_is_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither a file"):
        read_anchors("nowhere.jsonl")
    (tmp_path / "empty").touch()
    with pytest.raises(InputError, match="has no anchor"):
        read_anchors(str(tmp_path / "empty"))


def test_the_file_is_appended_to_and_never_through_a_link(tmp_path: Path) -> None:
    first = Anchor(1, "a" * 64, "s", None, "head")
    path = tmp_path / "anchors"
    assert keep(path, first)
    assert keep(path, first._replace(seq=2))
    assert [a.seq for a in file_anchors(path)] == [1, 2]

    (tmp_path / "link").symlink_to(path)
    with pytest.raises(UnreachableError, match="cannot be written"):
        keep(tmp_path / "link", first._replace(seq=3))


@pytest.mark.parametrize(
    "vector",
    [
        "a1lqfn3a",
        "?1v759aa",
        "abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx",
        "split1checkupstagehandshakeupstreamerranterredcaperredlc445v",
    ],
)
def test_the_checksum_is_that_of_the_standard(vector: str) -> None:
    """The valid strings of BIP-350."""
    prefix, _, data = vector.rpartition("1")
    values = [BECH32.index(c) for c in data]

    assert checksum(prefix, values[:-6]) == values[-6:]


def test_a_code_is_what_it_says() -> None:
    digest = "0123456789abcdef" * 4
    code = code_of(1664, digest)

    assert len(code.replace("-", "")) == CHARACTERS
    for spoken in (code, code.lower(), code.replace("-", " "), code.replace("0", "o").replace("1", "l")):
        assert read_code(spoken) == (1664, digest[:20])


def test_up_to_four_wrong_characters_are_always_found() -> None:
    """And two that changed places."""
    chance = random.Random(1)
    for _ in range(2000):
        code = list(code_of(chance.randrange(1, 10**6), f"{chance.getrandbits(256):064x}").replace("-", ""))
        heard = code.copy()
        if chance.random() < 0.3:
            i = chance.randrange(CHARACTERS - 1)
            heard[i], heard[i + 1] = heard[i + 1], heard[i]
        else:
            for i in chance.sample(range(CHARACTERS), chance.randint(1, 4)):
                heard[i] = chance.choice(ALPHABET)
        if heard != code:
            with pytest.raises(InputError, match="written down wrongly"):
                read_code("".join(heard))


@pytest.mark.parametrize(
    ("text", "message"),
    [("0001", "has 4 characters"), ("U" * 28, "'U' is never in one"), ("0" * 28, "checksum does not fit")],
)
def test_a_code_that_is_none_says_why(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_code(text)


@needs("git")
def test_a_repository_without_a_commit_is_told_how_to_make_one(site: Path, tmp_path: Path) -> None:
    """Only git said something: that it failed to resolve HEAD."""
    empty, head = tmp_path / "empty one", head_anchor(site)
    git(tmp_path, "init", "-q", str(empty))

    with pytest.raises(UnreachableError, match="has no commit") as refused:
        add_note(empty, head)
    _, _, pasted = refused.value.hint.partition(": ")
    subprocess.run(pasted, shell=True, check=True, capture_output=True)
    assert add_note(empty, head)
