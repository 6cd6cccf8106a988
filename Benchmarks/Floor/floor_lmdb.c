// LMDB: text keys in the main database, one read transaction renewed for each view.
#include <lmdb.h>
#include <stdlib.h>

#include "floor_engine.h"

typedef struct lmdb_state {
    MDB_env *environment;
    MDB_dbi database;
    MDB_txn *view;
    MDB_txn *transaction;
} lmdb_state;

enum { lmdb_key_limit = 511 };

static grove_floor_code lmdb_fail(grove_floor_error *error, int code) {
    grove_floor_code ours = code == MDB_MAP_FULL || code == MDB_TXN_FULL ? GROVE_FLOOR_FULL : GROVE_FLOOR_ENGINE;
    if (code == MDB_BAD_VALSIZE) ours = GROVE_FLOOR_KEY_SIZE;
    return floor_fail(error, ours, code, mdb_strerror(code));
}

#define LMDB_TEXT_OF(number) #number
#define LMDB_TEXT(number) LMDB_TEXT_OF(number)

static const char *lmdb_version(void) {
    return "LMDB " LMDB_TEXT(MDB_VERSION_MAJOR) "." LMDB_TEXT(MDB_VERSION_MINOR) "." LMDB_TEXT(MDB_VERSION_PATCH);
}

static void lmdb_close(void *opaque) {
    lmdb_state *state = opaque;
    if (state->view != NULL) mdb_txn_abort(state->view);
    if (state->environment != NULL) mdb_env_close(state->environment);
    free(state);
}

static grove_floor_code lmdb_open(const char *directory, void **opaque, grove_floor_error *error) {
    lmdb_state *state = calloc(1, sizeof *state);
    if (state == NULL) return floor_fail(error, GROVE_FLOOR_NO_MEMORY, 0, "out of memory");
    MDB_txn *setup = NULL;
    int code = mdb_env_create(&state->environment);
    if (code == 0) code = mdb_env_set_mapsize(state->environment, (size_t)4 << 30);
    if (code == 0) code = mdb_env_open(state->environment, directory, MDB_NOTLS | MDB_NOMETASYNC, 0600);
    if (code == 0) code = mdb_txn_begin(state->environment, NULL, 0, &setup);
    if (code == 0) code = mdb_dbi_open(setup, NULL, 0, &state->database);
    if (code == 0) {
        code = mdb_txn_commit(setup);
        setup = NULL;
    }
    if (code == 0) code = mdb_txn_begin(state->environment, NULL, MDB_RDONLY, &state->view);
    if (code == 0) {
        mdb_txn_reset(state->view);
        *opaque = state;
        return GROVE_FLOOR_OK;
    }
    if (setup != NULL) mdb_txn_abort(setup);
    lmdb_close(state);
    return lmdb_fail(error, code);
}

static grove_floor_code lmdb_begin_view(void *opaque, grove_floor_error *error) {
    lmdb_state *state = opaque;
    int code = mdb_txn_renew(state->view);
    return code == 0 ? GROVE_FLOOR_OK : lmdb_fail(error, code);
}

static void lmdb_end_view(void *opaque) {
    lmdb_state *state = opaque;
    mdb_txn_reset(state->view);
}

static inline grove_floor_code lmdb_get_in(
    lmdb_state *state, MDB_txn *transaction, floor_bytes key, floor_bytes *value, grove_floor_error *error) {
    MDB_val name = {key.count, (void *)key.data}, found;
    int code = mdb_get(transaction, state->database, &name, &found);
    if (code == MDB_NOTFOUND) {
        *value = (floor_bytes){NULL, 0};
        return GROVE_FLOOR_OK;
    }
    if (code != 0) return lmdb_fail(error, code);
    *value = (floor_bytes){found.mv_data, found.mv_size};
    return GROVE_FLOOR_OK;
}

static grove_floor_code lmdb_get(void *opaque, floor_bytes key, floor_bytes *value, grove_floor_error *error) {
    lmdb_state *state = opaque;
    return lmdb_get_in(state, state->view, key, value, error);
}

static grove_floor_code lmdb_begin(void *opaque, grove_floor_error *error) {
    lmdb_state *state = opaque;
    int code = mdb_txn_begin(state->environment, NULL, 0, &state->transaction);
    return code == 0 ? GROVE_FLOOR_OK : lmdb_fail(error, code);
}

static grove_floor_code lmdb_get_for_update(
    void *opaque, floor_bytes key, floor_bytes *value, grove_floor_error *error) {
    lmdb_state *state = opaque;
    return lmdb_get_in(state, state->transaction, key, value, error);
}

static grove_floor_code lmdb_put(void *opaque, floor_bytes key, floor_bytes value, grove_floor_error *error) {
    lmdb_state *state = opaque;
    if (key.count == 0 || key.count > lmdb_key_limit)
        return floor_fail(error, GROVE_FLOOR_KEY_SIZE, MDB_BAD_VALSIZE, "LMDB takes keys of 1 to 511 bytes");
    MDB_val name = {key.count, (void *)key.data}, data = {value.count, (void *)value.data};
    int code = mdb_put(state->transaction, state->database, &name, &data, 0);
    return code == 0 ? GROVE_FLOOR_OK : lmdb_fail(error, code);
}

static grove_floor_code lmdb_remove(void *opaque, floor_bytes key, grove_floor_error *error) {
    lmdb_state *state = opaque;
    MDB_val name = {key.count, (void *)key.data};
    int code = mdb_del(state->transaction, state->database, &name, NULL);
    return code == 0 || code == MDB_NOTFOUND ? GROVE_FLOOR_OK : lmdb_fail(error, code);
}

static grove_floor_code lmdb_commit(void *opaque, grove_floor_error *error) {
    lmdb_state *state = opaque;
    // "The transaction handle is freed. It and its cursors must not be used again after this call", failed or not.
    int code = mdb_txn_commit(state->transaction);
    state->transaction = NULL;
    return code == 0 ? GROVE_FLOOR_OK : lmdb_fail(error, code);
}

static void lmdb_abort(void *opaque) {
    lmdb_state *state = opaque;
    mdb_txn_abort(state->transaction);
    state->transaction = NULL;
}

const floor_engine floor_lmdb = {
    .version = lmdb_version,
    .open = lmdb_open,
    .close = lmdb_close,
    .begin_view = lmdb_begin_view,
    .get = lmdb_get,
    .end_view = lmdb_end_view,
    .begin = lmdb_begin,
    .get_for_update = lmdb_get_for_update,
    .put = lmdb_put,
    .remove = lmdb_remove,
    .commit = lmdb_commit,
    .abort = lmdb_abort,
    .resident = NULL,
};
