"""The vocabulary: terms, columns, settings, errors; `glossary.md` explains the words."""
