// SQLite: a key that ends in a number is a rowid, made of its prefix's number and of the number, and a page of such rows is read
// through one open blob; other keys are in a rowid table, so that rows are appended, with a small index on a 64-bit hash.
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "floor_engine.h"

/// One connection reads and one writes, as under WAL they do not wait for each other.
typedef struct sqlite_connection {
    sqlite3 *handle;
    sqlite3_stmt *begin;
    sqlite3_stmt *commit;
    sqlite3_stmt *rollback;
    sqlite3_stmt *select;
    sqlite3_stmt *upsert;
    sqlite3_stmt *remove;
    sqlite3_stmt *select_row;
    sqlite3_stmt *upsert_row;
    sqlite3_stmt *remove_row;
    /// What moves from row to row once a view has read some; NULL before.
    sqlite3_blob *blob;
    uint8_t *buffer;
    int room;
    int found;
} sqlite_connection;

#define SQLITE_PREFIXES 256

typedef struct sqlite_prefix {
    uint8_t text[64];
    size_t count;
} sqlite_prefix;

typedef struct sqlite_state {
    sqlite_connection reader;
    sqlite_connection writer;
    /// The number of a prefix is its index here plus one. The writer adds a prefix and then raises the count, so that a
    /// reader sees whole prefixes only.
    sqlite_prefix prefixes[SQLITE_PREFIXES];
    _Atomic int prefix_count;
} sqlite_state;

static const char sqlite_settings[] =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "PRAGMA temp_store=MEMORY;";

static const char sqlite_schema[] =
    "CREATE TABLE IF NOT EXISTS node("
    " id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL);"
    "CREATE UNIQUE INDEX IF NOT EXISTS node_hash ON node(hash);"
    "CREATE TABLE IF NOT EXISTS prefix(id INTEGER PRIMARY KEY, text BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS numbered(id INTEGER PRIMARY KEY, value BLOB NOT NULL);";

static grove_floor_code sqlite_fail(grove_floor_error *error, sqlite3 *handle) {
    int code = sqlite3_extended_errcode(handle);
    grove_floor_code ours = (code & 0xff) == SQLITE_FULL ? GROVE_FLOOR_FULL : GROVE_FLOOR_ENGINE;
    return floor_fail(error, ours, code, sqlite3_errmsg(handle));
}

static const char *sqlite_version(void) {
    return "SQLite " SQLITE_VERSION;
}

static void sqlite_disconnect(sqlite_connection *connection) {
    sqlite3_finalize(connection->begin);
    sqlite3_finalize(connection->commit);
    sqlite3_finalize(connection->rollback);
    sqlite3_finalize(connection->select);
    sqlite3_finalize(connection->upsert);
    sqlite3_finalize(connection->remove);
    sqlite3_finalize(connection->select_row);
    sqlite3_finalize(connection->upsert_row);
    sqlite3_finalize(connection->remove_row);
    sqlite3_blob_close(connection->blob);
    free(connection->buffer);
    sqlite3_close(connection->handle);
}

static int sqlite_prepare(sqlite_connection *connection, const char *text, sqlite3_stmt **statement) {
    return sqlite3_prepare_v3(connection->handle, text, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

static int sqlite_connect(sqlite_connection *connection, const char *path, bool writes) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int code = sqlite3_open_v2(path, &connection->handle, flags, NULL);
    if (code == SQLITE_OK) code = sqlite3_exec(connection->handle, sqlite_settings, NULL, NULL, NULL);
    if (code == SQLITE_OK && writes) code = sqlite3_exec(connection->handle, sqlite_schema, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite_prepare(connection, writes ? "BEGIN IMMEDIATE" : "BEGIN", &connection->begin);
    if (code == SQLITE_OK) code = sqlite_prepare(connection, "COMMIT", &connection->commit);
    if (code == SQLITE_OK) code = sqlite_prepare(connection, "ROLLBACK", &connection->rollback);
    if (code == SQLITE_OK)
        code = sqlite_prepare(
            connection, "SELECT key, value FROM node WHERE hash = ?1", &connection->select);
    if (code == SQLITE_OK && writes)
        code = sqlite_prepare(
            connection,
            "INSERT INTO node(hash, key, value) VALUES(?1, ?2, ?3)"
            " ON CONFLICT(hash) DO UPDATE SET value = excluded.value WHERE key = excluded.key",
            &connection->upsert);
    if (code == SQLITE_OK && writes)
        code = sqlite_prepare(connection, "DELETE FROM node WHERE hash = ?1 AND key = ?2", &connection->remove);
    if (code == SQLITE_OK)
        code = sqlite_prepare(connection, "SELECT value FROM numbered WHERE id = ?1", &connection->select_row);
    if (code == SQLITE_OK && writes)
        code = sqlite_prepare(
            connection,
            "INSERT INTO numbered(id, value) VALUES(?1, ?2) ON CONFLICT(id) DO UPDATE SET value = excluded.value",
            &connection->upsert_row);
    if (code == SQLITE_OK && writes)
        code = sqlite_prepare(connection, "DELETE FROM numbered WHERE id = ?1", &connection->remove_row);
    return code;
}

static bool sqlite_is_digit(uint8_t byte) {
    return byte >= '0' && byte <= '9';
}

/// Takes a number off the end of `key`: of at most 15 digits, without zeros in front, or the last 15 of 16 to 19.
static bool sqlite_split(floor_bytes key, size_t *prefix_count, sqlite3_int64 *number) {
    size_t start = key.count;
    while (start > 0 && sqlite_is_digit(key.data[start - 1])) start--;
    size_t digits = key.count - start;
    if (digits == 0 || digits > 19 || start == 0) return false;
    uint8_t before = key.data[start - 1];
    if (before >= 0x80 || (before >= 'A' && before <= 'Z') || (before >= 'a' && before <= 'z')) return false;
    size_t first = digits > 15 ? key.count - 15 : start;
    if (first > sizeof((sqlite_prefix *)0)->text) return false;
    if (first == start && digits > 1 && key.data[start] == '0') return false;
    *number = 0;
    for (size_t i = first; i < key.count; i++) *number = *number * 10 + (key.data[i] - '0');
    *prefix_count = first;
    return true;
}

/// The row of `key`, or 0 where it is stored by its hash.
static sqlite3_int64 sqlite_row(sqlite_state *state, floor_bytes key) {
    size_t count;
    sqlite3_int64 number;
    if (!sqlite_split(key, &count, &number)) return 0;
    int known = state->prefix_count;
    for (int i = 0; i < known; i++) {
        const sqlite_prefix *prefix = &state->prefixes[i];
        if (prefix->count == count && memcmp(prefix->text, key.data, count) == 0)
            return (sqlite3_int64)(i + 1) << 51 | number;
    }
    return 0;
}

static void sqlite_learn(sqlite_state *state, const void *text, size_t count) {
    sqlite_prefix *prefix = &state->prefixes[state->prefix_count];
    if (count > sizeof prefix->text) count = 0;
    memcpy(prefix->text, text, count);
    prefix->count = count;
    state->prefix_count++;
}

/// As `sqlite_row`, and gives a prefix that has none a number, for as long as there are any.
static sqlite3_int64 sqlite_row_to_write(sqlite_state *state, floor_bytes key) {
    sqlite3_int64 row = sqlite_row(state, key);
    size_t count;
    sqlite3_int64 number;
    if (row != 0 || state->prefix_count == SQLITE_PREFIXES || !sqlite_split(key, &count, &number)) return row;
    sqlite3_stmt *insert;
    if (sqlite3_prepare_v2(state->writer.handle, "INSERT INTO prefix(text) VALUES(?1)", -1, &insert, NULL) != SQLITE_OK)
        return 0;
    sqlite3_bind_blob(insert, 1, key.data, (int)count, SQLITE_STATIC);
    bool is_stored = sqlite3_step(insert) == SQLITE_DONE;
    sqlite3_finalize(insert);
    if (!is_stored) return 0;
    sqlite_learn(state, key.data, count);
    return sqlite_row(state, key);
}

static int sqlite_load_prefixes(sqlite_state *state) {
    sqlite3_stmt *select;
    int code = sqlite3_prepare_v2(state->writer.handle, "SELECT text FROM prefix ORDER BY id", -1, &select, NULL);
    if (code != SQLITE_OK) return code;
    while (sqlite3_step(select) == SQLITE_ROW && state->prefix_count < SQLITE_PREFIXES)
        sqlite_learn(state, sqlite3_column_blob(select, 0), (size_t)sqlite3_column_bytes(select, 0));
    return sqlite3_finalize(select);
}

static void sqlite_close(void *opaque) {
    sqlite_state *state = opaque;
    sqlite_disconnect(&state->reader);
    sqlite_disconnect(&state->writer);
    free(state);
}

static grove_floor_code sqlite_open(const char *directory, void **opaque, grove_floor_error *error) {
    sqlite_state *state = calloc(1, sizeof *state);
    char *path = floor_path(directory, "floor.sqlite");
    if (state == NULL || path == NULL) {
        free(state);
        free(path);
        return floor_fail(error, GROVE_FLOOR_NO_MEMORY, 0, "out of memory");
    }
    sqlite_connection *connection = &state->writer;
    int code = sqlite_connect(connection, path, true);
    if (code == SQLITE_OK) code = sqlite_load_prefixes(state);
    if (code == SQLITE_OK) {
        connection = &state->reader;
        code = sqlite_connect(connection, path, false);
    }
    free(path);
    if (code == SQLITE_OK) {
        *opaque = state;
        return GROVE_FLOOR_OK;
    }
    grove_floor_code failure = sqlite_fail(error, connection->handle);
    sqlite_close(state);
    return failure;
}

/// Steps a statement that returns no row, and resets it.
static inline grove_floor_code sqlite_run(
    sqlite_connection *connection, sqlite3_stmt *statement, grove_floor_error *error) {
    int code = sqlite3_step(statement);
    grove_floor_code result = code == SQLITE_DONE ? GROVE_FLOOR_OK : sqlite_fail(error, connection->handle);
    sqlite3_reset(statement);
    return result;
}

/// Lets go of the row that was read last.
static inline void sqlite_leave(sqlite_connection *connection) {
    sqlite3_reset(connection->select);
    sqlite3_reset(connection->select_row);
    sqlite3_blob_close(connection->blob);
    connection->blob = NULL;
    connection->found = 0;
}

static grove_floor_code sqlite_get_row(
    sqlite_connection *connection, bool reads, sqlite3_int64 row, floor_bytes *value, grove_floor_error *error) {
    if (connection->blob != NULL && sqlite3_blob_reopen(connection->blob, row) == SQLITE_OK) {
        int count = sqlite3_blob_bytes(connection->blob);
        if (count > connection->room) {
            uint8_t *buffer = realloc(connection->buffer, (size_t)count);
            if (buffer == NULL) return floor_fail(error, GROVE_FLOOR_NO_MEMORY, 0, "out of memory");
            connection->buffer = buffer;
            connection->room = count;
        }
        if (sqlite3_blob_read(connection->blob, connection->buffer, count, 0) != SQLITE_OK)
            return sqlite_fail(error, connection->handle);
        *value = (floor_bytes){count > 0 ? connection->buffer : (const uint8_t *)"", (size_t)count};
        return GROVE_FLOOR_OK;
    }
    sqlite3_blob_close(connection->blob);
    connection->blob = NULL;
    sqlite3_stmt *select = connection->select_row;
    sqlite3_reset(select);
    sqlite3_bind_int64(select, 1, row);
    int code = sqlite3_step(select);
    if (code == SQLITE_DONE) return GROVE_FLOOR_OK;
    if (code != SQLITE_ROW) return sqlite_fail(error, connection->handle);
    const uint8_t *blob = sqlite3_column_blob(select, 0);
    *value = (floor_bytes){blob != NULL ? blob : (const uint8_t *)"", (size_t)sqlite3_column_bytes(select, 0)};
    if (reads && ++connection->found >= 6)
        sqlite3_blob_open(connection->handle, "main", "numbered", "value", row, 0, &connection->blob);
    return GROVE_FLOOR_OK;
}

static inline grove_floor_code sqlite_get_on(
    sqlite_state *state, sqlite_connection *connection, floor_bytes key, floor_bytes *value, grove_floor_error *error) {
    *value = (floor_bytes){NULL, 0};
    sqlite3_int64 row = sqlite_row(state, key);
    if (row != 0) return sqlite_get_row(connection, connection == &state->reader, row, value, error);
    sqlite3_stmt *select = connection->select;
    // The row of the last get is let go of here, so that its blob stayed valid until now.
    sqlite3_reset(select);
    sqlite3_bind_int64(select, 1, (sqlite3_int64)floor_hash(key));
    int code = sqlite3_step(select);
    if (code == SQLITE_DONE) return GROVE_FLOOR_OK;
    if (code != SQLITE_ROW) return sqlite_fail(error, connection->handle);
    const void *stored = sqlite3_column_blob(select, 0);
    size_t length = (size_t)sqlite3_column_bytes(select, 0);
    if (length != key.count || memcmp(stored, key.data, length) != 0) return GROVE_FLOOR_OK;
    const uint8_t *blob = sqlite3_column_blob(select, 1);
    // A blob of no bytes comes as NULL, which is not absence.
    *value = (floor_bytes){blob != NULL ? blob : (const uint8_t *)"", (size_t)sqlite3_column_bytes(select, 1)};
    return GROVE_FLOOR_OK;
}

static grove_floor_code sqlite_begin_view(void *opaque, grove_floor_error *error) {
    sqlite_state *state = opaque;
    return sqlite_run(&state->reader, state->reader.begin, error);
}

static grove_floor_code sqlite_get(void *opaque, floor_bytes key, floor_bytes *value, grove_floor_error *error) {
    sqlite_state *state = opaque;
    return sqlite_get_on(state, &state->reader, key, value, error);
}

static void sqlite_end_view(void *opaque) {
    sqlite_state *state = opaque;
    sqlite_leave(&state->reader);
    sqlite_run(&state->reader, state->reader.commit, NULL);
}

static grove_floor_code sqlite_begin(void *opaque, grove_floor_error *error) {
    sqlite_state *state = opaque;
    return sqlite_run(&state->writer, state->writer.begin, error);
}

static grove_floor_code sqlite_get_for_update(
    void *opaque, floor_bytes key, floor_bytes *value, grove_floor_error *error) {
    sqlite_state *state = opaque;
    return sqlite_get_on(state, &state->writer, key, value, error);
}

static grove_floor_code sqlite_put(void *opaque, floor_bytes key, floor_bytes value, grove_floor_error *error) {
    sqlite_state *state = opaque;
    sqlite_connection *writer = &state->writer;
    sqlite_leave(writer);
    sqlite3_int64 row = sqlite_row_to_write(state, key);
    if (row != 0) {
        sqlite3_bind_int64(writer->upsert_row, 1, row);
        sqlite3_bind_blob(
            writer->upsert_row, 2, value.count > 0 ? value.data : (const uint8_t *)"", (int)value.count, SQLITE_STATIC);
        return sqlite_run(writer, writer->upsert_row, error);
    }
    sqlite3_stmt *upsert = writer->upsert;
    sqlite3_bind_int64(upsert, 1, (sqlite3_int64)floor_hash(key));
    sqlite3_bind_blob(upsert, 2, key.data, (int)key.count, SQLITE_STATIC);
    sqlite3_bind_blob(upsert, 3, value.count > 0 ? value.data : (const uint8_t *)"", (int)value.count, SQLITE_STATIC);
    grove_floor_code code = sqlite_run(writer, upsert, error);
    if (code == GROVE_FLOOR_OK && sqlite3_changes(writer->handle) == 0)
        return floor_fail(error, GROVE_FLOOR_COLLISION, 0, "two keys share one 64-bit hash");
    return code;
}

static grove_floor_code sqlite_remove(void *opaque, floor_bytes key, grove_floor_error *error) {
    sqlite_state *state = opaque;
    sqlite_leave(&state->writer);
    sqlite3_int64 row = sqlite_row(state, key);
    if (row != 0) {
        sqlite3_bind_int64(state->writer.remove_row, 1, row);
        return sqlite_run(&state->writer, state->writer.remove_row, error);
    }
    sqlite3_stmt *statement = state->writer.remove;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)floor_hash(key));
    sqlite3_bind_blob(statement, 2, key.data, (int)key.count, SQLITE_STATIC);
    return sqlite_run(&state->writer, statement, error);
}

static void sqlite_abort(void *opaque) {
    sqlite_state *state = opaque;
    sqlite_leave(&state->writer);
    sqlite_run(&state->writer, state->writer.rollback, NULL);
}

static grove_floor_code sqlite_commit(void *opaque, grove_floor_error *error) {
    sqlite_state *state = opaque;
    sqlite_leave(&state->writer);
    grove_floor_code code = sqlite_run(&state->writer, state->writer.commit, error);
    if (code != GROVE_FLOOR_OK) sqlite_abort(state);
    return code;
}

const floor_engine floor_sqlite = {
    .version = sqlite_version,
    .open = sqlite_open,
    .close = sqlite_close,
    .begin_view = sqlite_begin_view,
    .get = sqlite_get,
    .end_view = sqlite_end_view,
    .begin = sqlite_begin,
    .get_for_update = sqlite_get_for_update,
    .put = sqlite_put,
    .remove = sqlite_remove,
    .commit = sqlite_commit,
    .abort = sqlite_abort,
    .resident = NULL,
};
