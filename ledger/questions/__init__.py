"""Questions about the record: functions over a snapshot, a module for each subject. Standard library only, so that they are fast."""
