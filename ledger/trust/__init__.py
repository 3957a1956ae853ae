"""Why the record can be believed: keys, statements, the audit, anchors, backups and the turnover package."""
