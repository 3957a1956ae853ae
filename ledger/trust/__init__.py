"""What makes the record trustworthy: keys, signed statements, the audit, anchors, backups and the turnover package."""
