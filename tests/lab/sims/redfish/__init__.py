"""Simulated baseboard controllers that speak Redfish over TLS: their power buttons are real, their sensors are made up.

Small on purpose: what playbooks use of Redfish is there and behaves as hardware does (BIOS attributes and most firmware
wait for the next boot, an update is a task, a fault stays in the log); the rest of the standard is not.
"""
