"""Which values are secrets, in which forms they are found, and what stays readable."""

from __future__ import annotations

import base64
import json
import shlex
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from flows.runs.inventory.hosts import inventory_hosts
from flows.runs.secrets.redaction import Redactor
from flows.runs.secrets.values import is_secret_name, secrets_in, stated_in
from schedule.errors import InputError

VALUE = "cän\"ary's of-the/4c1f"
KEY = "AAAAB3NzaC1yc2EAAAADAQ\nBBBB/qKZ+0f9TqWx==\n"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "bmc_password",
            "ansible_ssh_pass",
            "rootpw",
            "bmcPassword",
            "password_server1",
            "password_old",
            "url_password",
        ),
        *(
            "snmp_exporter_community",
            "api_key",
            "munge_key",
            "ssh_private_key",
            "db_token",
            "vault_anything",
            "BMC_TOKEN",
        ),
    ],
)
def test_a_name_says_that_its_value_is_a_secret(name: str) -> None:
    """Names as they are in playbooks, inventories and environments."""
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "password_file",
            "munge_key_host",
            "ansible_ssh_private_key_file",
            "public_key",
            "ssh_authorized_keys",
            "key",
        ),
        *("training_tokens_total", "keyboard", "monkey", "compass", "ssh.password_logins_possible", "token_url"),
    ],
)
def test_a_name_that_is_about_a_secret_has_none(name: str) -> None:
    """A log without paths, hosts and counts cannot be read."""
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(VALUE, id="plain"),
        pytest.param(VALUE.upper(), id="upper case"),
        pytest.param(json.dumps(VALUE), id="JSON"),
        pytest.param(json.dumps(json.dumps({"a": VALUE})), id="JSON in JSON"),
        pytest.param(shlex.quote(VALUE), id="shell"),
        pytest.param(quote(VALUE), id="URL"),
        pytest.param(quote_plus(VALUE, safe=""), id="form"),
        pytest.param(base64.b64encode(VALUE.encode()).decode(), id="base64"),
        pytest.param(base64.b64encode(f"admin:{VALUE}".encode()).decode(), id="basic log-in"),
        pytest.param(base64.b64encode(f"me:{VALUE}\n".encode()).decode(), id="base64 in the middle"),
        pytest.param(base64.urlsafe_b64encode(f"xy{VALUE}".encode()).decode(), id="base64 for addresses"),
        pytest.param(VALUE.encode().hex(), id="hexadecimal"),
        pytest.param(repr(VALUE.encode()), id="Python's bytes"),
        pytest.param(VALUE[:9] + "\n      " + VALUE[9:], id="wrapped"),
    ],
)
def test_a_secret_is_found_in_the_forms_in_which_programs_print_it(said: str) -> None:
    """Between other words, of which the reader loses none."""
    shown = Redactor([VALUE]).redact_words(f"before {said} after")

    assert "[secret]" in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")
    assert not any(part in shown for part in ("ary", "4c1f", "YXJ5", "617279"))


def test_each_line_of_a_key_is_hidden_with_the_marks_of_a_difference() -> None:
    """Between its lines a difference has marks and indentation."""
    shown = Redactor([KEY]).redact(f"+key: |\n+  {KEY.splitlines()[0]}\n+  {KEY.splitlines()[1]}\n mtu: 9000\n")

    assert shown == "+key: |\n+  [secret]\n+  [secret]\n mtu: 9000\n"


def test_short_words_are_hidden_whole_and_the_shortest_not_at_all() -> None:
    """A log in which every `on` is hidden cannot be read."""
    words = Redactor(["abc", "tiger", "true", "public", "4711", "481516", "no"])

    shown = words.redact("abc true public 4711 tiger (tiger) tigers 481516 4815162")

    assert shown == "abc true public 4711 [secret] ([secret]) tigers [secret] 4815162"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("db_password = hunter2 # old", "db_password = [secret] # old"),
        ('{"api_token": "one two", "mtu": 9000}', '{"api_token": "[secret]", "mtu": 9000}'),
        ("tool --password hunter2 -v", "tool --password [secret] -v"),
        ("https://admin:hunter2@bmc-1/redfish", "https://[secret]@bmc-1/redfish"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----", "[secret]"),
        ("PasswordAuthentication no\npassword: no", "PasswordAuthentication no\npassword: no"),
        ("Permission denied (publickey,password).", "Permission denied (publickey,password)."),
    ],
)
def test_what_a_text_states_under_a_secret_name_is_hidden_without_being_known(said: str, shown: str) -> None:
    """A file that is copied to a host has secrets of which no variable knows."""
    assert Redactor().redact_words(said) == shown


def test_secrets_are_found_at_any_depth_and_in_lists_of_pairs() -> None:
    """`dict2items` puts the name beside the value."""
    data = {"db": [{"password": "one-secret"}], "pairs": [{"key": "bmc_token", "value": "two-secret"}], "mtu": 9000}

    assert set(secrets_in(data)) == {"one-secret", "two-secret"}


def test_a_file_that_nobody_can_parse_states_its_secrets_all_the_same() -> None:
    """Ansible quotes the lines of a file that it cannot read."""
    text = "n1 x=1 bmc_password='one two' x=1\n[broken\napi_token: three # old\nssh_private_key: |\n  four\n  five\nmtu: 9000\n"

    assert {"one two", "three", "four", "five"} <= set(stated_in(text))
    assert "9000" not in set(stated_in(text))


def test_an_inventory_that_cannot_be_read_is_not_quoted(tmp_path: Path) -> None:
    """The sentence goes to the terminal, to the engine's log and to the dashboard."""
    inventory = tmp_path / "hosts.ini"
    inventory.write_text("n1 bmc_password=canary-1 canary-1x\n", encoding="utf-8")

    with pytest.raises(InputError, match=r"hosts\.ini") as refused:
        inventory_hosts(inventory)

    assert "canary" not in str(refused.value)


def test_many_secrets_are_found_in_a_long_text() -> None:
    """A site has a password a host; the search asks only for what begins like one."""
    words = Redactor(f"secret-of-host-{number:05}" for number in range(2000))

    assert words.redact("secret-of " * 5_000 + "secret-of-host-01999").endswith("secret-of [secret]")
