"""What a site's record is about, a package a subject: its payloads, who may, rules, making, applying, words and decisions."""
