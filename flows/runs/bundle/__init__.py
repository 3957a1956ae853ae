"""Everything that Ansible reads in a run, and its digest."""
