"""Tests of what can be said of playbooks and roles without a host; `tests/lab` runs them."""
