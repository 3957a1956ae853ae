"""What differs on hosts from what a playbook would set."""
