"""Notifies people outside the screens of what waits for them, through the services that `notify.yaml` names."""
