"""Ansible callback plugins. Ansible loads them by path, inside the process that plays a playbook."""

TOLD_IN = "CLUSTERWRIGHT_KNOWN_SECRETS"
"""The variable of the environment by which `known_secrets` finds its file."""

NOTED_IN = "CLUSTERWRIGHT_RESULTS"
"""The one by which `results` and `hanging` find the folder of their notes."""

HANGING = "hanging"
"""The file of that folder in which `hanging` notes the hosts that it gives up."""

HANG_AFTER = "CLUSTERWRIGHT_HANG_AFTER_S"
"""The one by which `hanging` learns of its bound. Ansible has none of that kind."""

ERROR = "[ERROR]: "
"""How a line begins with which Ansible says that it cannot go on."""
