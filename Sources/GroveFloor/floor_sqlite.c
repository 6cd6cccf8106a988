// SQLite: a rowid table, so that rows are appended, and a small index on a 64-bit hash of the key.
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
} sqlite_connection;

typedef struct sqlite_state {
    sqlite_connection reader;
    sqlite_connection writer;
} sqlite_state;

static const char sqlite_settings[] =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "PRAGMA temp_store=MEMORY;";

static const char sqlite_schema[] =
    "CREATE TABLE IF NOT EXISTS node("
    " id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL);"
    "CREATE UNIQUE INDEX IF NOT EXISTS node_hash ON node(hash);";

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
    return code;
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

static inline grove_floor_code sqlite_get_on(
    sqlite_connection *connection, floor_bytes key, floor_bytes *value, grove_floor_error *error) {
    sqlite3_stmt *select = connection->select;
    // The row of the last get is let go of here, so that its blob stayed valid until now.
    sqlite3_reset(select);
    sqlite3_bind_int64(select, 1, (sqlite3_int64)floor_hash(key));
    *value = (floor_bytes){NULL, 0};
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
    return sqlite_get_on(&state->reader, key, value, error);
}

static void sqlite_end_view(void *opaque) {
    sqlite_state *state = opaque;
    sqlite3_reset(state->reader.select);
    sqlite_run(&state->reader, state->reader.commit, NULL);
}

static grove_floor_code sqlite_begin(void *opaque, grove_floor_error *error) {
    sqlite_state *state = opaque;
    return sqlite_run(&state->writer, state->writer.begin, error);
}

static grove_floor_code sqlite_get_for_update(
    void *opaque, floor_bytes key, floor_bytes *value, grove_floor_error *error) {
    sqlite_state *state = opaque;
    return sqlite_get_on(&state->writer, key, value, error);
}

static grove_floor_code sqlite_put(void *opaque, floor_bytes key, floor_bytes value, grove_floor_error *error) {
    sqlite_state *state = opaque;
    sqlite_connection *writer = &state->writer;
    sqlite3_stmt *upsert = writer->upsert;
    sqlite3_reset(writer->select);
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
    sqlite3_stmt *statement = state->writer.remove;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)floor_hash(key));
    sqlite3_bind_blob(statement, 2, key.data, (int)key.count, SQLITE_STATIC);
    return sqlite_run(&state->writer, statement, error);
}

static void sqlite_abort(void *opaque) {
    sqlite_state *state = opaque;
    sqlite3_reset(state->writer.select);
    sqlite_run(&state->writer, state->writer.rollback, NULL);
}

static grove_floor_code sqlite_commit(void *opaque, grove_floor_error *error) {
    sqlite_state *state = opaque;
    sqlite3_reset(state->writer.select);
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
