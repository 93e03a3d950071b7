"""`rt web`: the tables as pages on this machine, live, with one reader of the bus for each table that is looked at."""
