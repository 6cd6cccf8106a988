// Replaced by the tests of the SQLite store.
