"""The vocabulary of provhouse: terms, columns, settings, errors; `glossary.md` explains the words."""
