"""Who may lend roles, revoke keys and redact names."""

from __future__ import annotations

from ledger.rules.access import PROCEED, Rows, Rule, Who

ACCESS: Rows = {
    "delegate": Rule("lend the role {}", "a role", (Who.THEIRS,)),
    "withdraw": Rule("withdraw {}", "a delegation", (Who.THEIRS, Who.OWNER)),
    "revoke_key": Rule("revoke the key of {}", "a person", (Who.OWNER, Who.THEIRS)),
    "redact": Rule("redact the name of {}", "a person", (Who.THEIRS, Who.OWNER, *PROCEED)),
}
