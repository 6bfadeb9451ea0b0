"""The page of the server: search, pictures and tables of answers, for people with a browser."""
