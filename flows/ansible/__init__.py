"""Ansible runs: a supervisor process a run, which ends with its whole process group when its parent is gone."""
