"""Ansible content: a playbook a step, over roles."""
