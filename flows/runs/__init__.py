"""Ansible runs. Each run has a supervisor process, which ends with its whole process group when its parent has ended."""
