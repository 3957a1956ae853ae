"""What a site's folder would run, and whether this account has allowed that."""
