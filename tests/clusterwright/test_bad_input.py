"""Whatever is wrong is said with its place and its remedy, with the right exit code and without a traceback."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.conftest import Command

NOT_SATISFIED, BAD_INPUT, UNREACHABLE, WAITS = 1, 2, 3, 4


def edit(site: Path, old: str, new: str) -> None:
    path = site / "site.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("start: 2026-11-23", "start: soon", ["site.yaml:", "start", "date"]),
        ("country: US", "country: Utopia", ["site.yaml:", "country"]),
        ("currency: USD", "curency: USD", ["unknown key 'curency'", "did you mean currency"]),
        ("preset: superpod-1su", "preset: superpod-1s", ["no preset 'superpod-1s'", "did you mean superpod-1su"]),
        ("overrides: {}", "overrides: {nods: 64}", ["overrides.nods", "did you mean nodes"]),
        ("overrides: {}", "overrides: {cooling: ice}", ["overrides.cooling", "air, liquid, hybrid"]),
        ("overrides: {}", "overrides: {nodes: -3}", ["overrides.nodes", "-3"]),
        (
            "time_zone: Etc/UTC",
            "time_zone: Mars/Base",
            ["time_zone: not an IANA time zone such as Europe/Oslo; it is 'Mars/Base'"],
        ),
        ("holidays: []", "holidays: 2027-07-06", ["calendar.holidays: expected a list, not 2027-07-06"]),
        ("roles: [owner-pm,", "roles: [wizard,", ["people[1].roles[0]", "wizard", "catalog roles"]),
        ("roles: [owner-pm,", "roles: [owner-pn,", ["there is no role 'owner-pn'", "did you mean owner-pm"]),
        (
            "name: site",
            "name: Fjord AI",
            ["site.yaml:2: name", "expected lower-case letters", "not 'Fjord AI'", "write fjord-ai"],
        ),
        ("country: US", "country: Norway", ["expected a code of two capital letters, as US, not 'Norway'"]),
        ("start: 2026-11-23", "start: 23.11.2026", ["'23.11.2026' is not a date", "write 2026-11-21"]),
        ("crews: {}", "crews: {rack-techncian: 2}", ["crews.rack-techncian", "did you mean rack-technician"]),
        ("crews: {}", "crews: {}\ntrades: {riger: night}", ["trades.riger", "did you mean rigger"]),
        ("name: site", "name: site\nname: site", ["'name' is given twice"]),
        ("crews: {}", "crews: {rack-technician: 0}", ["crews.rack-technician"]),
        ("crews: {}", "crews: {}\nresponses:\n  hurry: [gpu-server]", ["responses.hurry: input should be 'expedite'"]),
        (
            "crews: {}",
            "crews: {}\nresponses:\n  expedite: [gpu-servr]",
            ["responses.expedite", "did you mean gpu-server"],
        ),
        ("people:", "people: [", ["not valid YAML", "site.yaml:"]),
        ("overrides: {}", "overrides:\n\tnodes: 64", ["not valid YAML", "indent with blanks"]),
    ],
)
def test_a_faulty_site_file_is_refused_with_its_place(
    site: Path, command: Command, old: str, new: str, expected: list[str]
) -> None:
    edit(site, old, new)

    result = command("plan", "--site", site)

    assert result.returncode == BAD_INPUT
    assert "Traceback" not in result.stderr
    for words in expected:
        assert words in result.stderr


def test_a_missing_inventory_is_named_with_its_key(site: Path, command: Command) -> None:
    edit(site, "# inventory: inventory/hosts.yml", "inventory: hosts.yml")

    result = command("plan", "--site", site)

    assert result.returncode == BAD_INPUT
    assert "inventory" in result.stderr
    assert "site.yaml:" in result.stderr


def test_a_cycle_is_refused_with_the_whole_loop(site: Path, command: Command) -> None:
    own = site / "catalog"
    own.mkdir()
    for this, other in (("X01", "X02"), ("X02", "X01")):
        (own / f"{this}_{this.lower()}.yaml").write_text(
            f'id: "{this}"\nslug: {this.lower()}\ntitle: Own step\ndescription: "One of two that wait for each other."\n'
            "phase: power\nsection: Own\nkind: field\nscope: site\ncrew: {role: rigger, size: 1}\n"
            "duration:\n  fixed: {value: 1, unit: crew-day, source: assumption}\n"
            f'links:\n  - {{after: "{other}", map: same, reason: "to see a cycle refused"}}\n'
            "sign_off:\n  policy: {roles: [facility-lead]}\nsources: {}\n",
            encoding="utf-8",
        )

    result = command("plan", "--site", site)

    assert result.returncode == BAD_INPUT
    assert "circle" in result.stderr
    assert "X01@site" in result.stderr
    assert "X02@site" in result.stderr


def test_an_override_of_ours_needs_a_reason(site: Path, command: Command) -> None:
    own = site / "catalog"
    own.mkdir()
    (own / "034.yaml").write_text(
        'overrides: "034"\nduration:\n  fixed: {value: 24, unit: elapsed-hour, source: contract}\n', encoding="utf-8"
    )

    result = command("plan", "--site", site)

    assert result.returncode == BAD_INPUT
    assert "an override says why" in result.stderr


def test_no_site_here_says_how_to_make_one(tmp_path: Path, command: Command) -> None:
    result = command("plan", cwd=tmp_path)

    assert result.returncode == BAD_INPUT
    assert "clusterwright init" in result.stderr


def test_no_ledger_yet_says_to_adopt(site: Path, command: Command) -> None:
    result = command("status", "--site", site)

    assert result.returncode == UNREACHABLE
    assert "plan adopt" in result.stderr


def test_a_corrupt_ledger_is_said_to_be_corrupt(adopted: Path, command: Command) -> None:
    (adopted / "ledger.db").write_bytes(b"this was a database" * 400)

    result = command("status", "--site", adopted)

    assert result.returncode == UNREACHABLE
    assert "Traceback" not in result.stderr


def test_a_locked_ledger_is_said_to_be_locked(adopted: Path, command: Command) -> None:
    import sqlite3

    holder = sqlite3.connect(adopted / "ledger.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")

    result = command("comment", "071@site", "a word", "--site", adopted, "--as", "owner")
    holder.execute("ROLLBACK")

    assert result.returncode == UNREACHABLE
    assert "lock" in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unknown_activity_is_answered_with_the_nearest(adopted: Path, command: Command) -> None:
    result = command("why", "034@pod-01", "--site", adopted)

    assert result.returncode == BAD_INPUT
    assert "034@pod-001" in result.stderr


def test_who_lacks_the_role_may_not_sign(adopted: Path, command: Command) -> None:
    result = command("sign", "141@site", "--site", adopted, "--as", "operator")

    assert result.returncode == NOT_SATISFIED
    assert "operator" in result.stderr
    assert "architect" in result.stderr


def test_an_account_may_not_act_as_someone_else(adopted: Path, command: Command) -> None:
    edit(adopted, "account: ", "account: not-")
    command("plan", "adopt", "--site", adopted, "--as", "owner", "--reason", "another account", "--yes")

    result = command("comment", "071@site", "hello", "--site", adopted, "--as", "operator")

    assert result.returncode == NOT_SATISFIED
    assert "may not act as 'operator'" in result.stderr


def test_blocked_work_names_what_it_waits_for(adopted: Path, command: Command) -> None:
    result = command("start", "H09@pod-001", "--site", adopted, "--as", "operator")

    assert result.returncode == NOT_SATISFIED
    assert "H06@pod-001" in result.stderr
    assert "clusterwright why" in result.stderr


def test_a_port_in_use_is_named(adopted: Path, command: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        result = command("up", "--site", adopted, "--port", port)

    assert result.returncode == UNREACHABLE
    assert str(port) in result.stderr
    assert "--port" in result.stderr


def test_progress_with_a_bad_row_names_file_line_and_column(adopted: Path, command: Command, tmp_path: Path) -> None:
    rows = tmp_path / "progress.csv"
    rows.write_text("activity,state,started,finished,by,note\n071@site,done,someday,2026-11-20,,\n", encoding="utf-8")

    result = command("import-progress", rows, "--site", adopted, "--as", "owner")

    assert result.returncode == BAD_INPUT
    assert "progress.csv:2: started" in result.stderr


def test_an_order_out_of_turn_says_what_is_missing(adopted: Path, command: Command) -> None:
    result = command(
        "order",
        "001@site#gpu-server",
        "--supplier",
        "maker",
        "--reference",
        "PO 1",
        "--site",
        adopted,
        "--as",
        "operator",
    )

    assert result.returncode == NOT_SATISFIED
    assert "001@site" in result.stderr
