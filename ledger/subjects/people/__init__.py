"""Roles that are lent, keys that are revoked, and names that are redacted."""
