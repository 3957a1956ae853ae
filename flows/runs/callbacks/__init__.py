"""Ansible callback plugins. Ansible loads them by path, inside the process that plays a playbook."""
