"""What a table says outside: planned from the record, kept in the journal, delivered by a thread of the host."""
