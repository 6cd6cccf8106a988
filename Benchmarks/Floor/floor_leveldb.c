// LevelDB through its C interface: a snapshot for each view, one synced batch for each transaction.
#include <leveldb/c.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "floor_engine.h"

typedef struct leveldb_state {
    leveldb_t *database;
    leveldb_options_t *options;
    leveldb_filterpolicy_t *filter;
    leveldb_readoptions_t *view_options;
    leveldb_readoptions_t *update_options;
    leveldb_writeoptions_t *write_options;
    const leveldb_snapshot_t *snapshot;
    leveldb_writebatch_t *batch;
    // What the last get returned, kept until the next: one for the reading thread, one for the writing thread.
    char *viewed;
    char *updated;
} leveldb_state;

/// Takes over and frees `message`, which LevelDB allocated.
static grove_floor_code leveldb_fail(grove_floor_error *error, char *message) {
    floor_fail(error, GROVE_FLOOR_ENGINE, 0, message);
    leveldb_free(message);
    return GROVE_FLOOR_ENGINE;
}

static char leveldb_version_text[32];

static void leveldb_write_version(void) {
    snprintf(
        leveldb_version_text, sizeof leveldb_version_text, "LevelDB %d.%d", leveldb_major_version(),
        leveldb_minor_version());
}

static const char *leveldb_version(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, leveldb_write_version);
    return leveldb_version_text;
}

static void leveldb_floor_close(void *opaque) {
    leveldb_state *state = opaque;
    leveldb_free(state->viewed);
    leveldb_free(state->updated);
    if (state->batch != NULL) leveldb_writebatch_destroy(state->batch);
    if (state->database != NULL) leveldb_close(state->database);
    if (state->write_options != NULL) leveldb_writeoptions_destroy(state->write_options);
    if (state->update_options != NULL) leveldb_readoptions_destroy(state->update_options);
    if (state->view_options != NULL) leveldb_readoptions_destroy(state->view_options);
    if (state->options != NULL) leveldb_options_destroy(state->options);
    if (state->filter != NULL) leveldb_filterpolicy_destroy(state->filter);
    free(state);
}

static grove_floor_code leveldb_floor_open(const char *directory, void **opaque, grove_floor_error *error) {
    leveldb_state *state = calloc(1, sizeof *state);
    if (state == NULL) return floor_fail(error, GROVE_FLOOR_NO_MEMORY, 0, "out of memory");
    state->filter = leveldb_filterpolicy_create_bloom(10);
    state->options = leveldb_options_create();
    leveldb_options_set_create_if_missing(state->options, 1);
    leveldb_options_set_paranoid_checks(state->options, 1);
    leveldb_options_set_filter_policy(state->options, state->filter);
    leveldb_options_set_compression(state->options, leveldb_snappy_compression);
    leveldb_options_set_block_size(state->options, 2 << 10);
    state->view_options = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(state->view_options, 1);
    state->update_options = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(state->update_options, 1);
    state->write_options = leveldb_writeoptions_create();
    leveldb_writeoptions_set_sync(state->write_options, 1);
    state->batch = leveldb_writebatch_create();

    char *message = NULL;
    state->database = leveldb_open(state->options, directory, &message);
    if (message != NULL) {
        leveldb_floor_close(state);
        return leveldb_fail(error, message);
    }
    *opaque = state;
    return GROVE_FLOOR_OK;
}

static grove_floor_code leveldb_begin_view(void *opaque, grove_floor_error *error) {
    (void)error;
    leveldb_state *state = opaque;
    state->snapshot = leveldb_create_snapshot(state->database);
    leveldb_readoptions_set_snapshot(state->view_options, state->snapshot);
    return GROVE_FLOOR_OK;
}

static void leveldb_end_view(void *opaque) {
    leveldb_state *state = opaque;
    leveldb_readoptions_set_snapshot(state->view_options, NULL);
    leveldb_release_snapshot(state->database, state->snapshot);
    state->snapshot = NULL;
}

static inline grove_floor_code leveldb_get_with(
    leveldb_state *state, const leveldb_readoptions_t *options, char **kept, floor_bytes key, floor_bytes *value,
    grove_floor_error *error) {
    char *message = NULL;
    size_t length = 0;
    // "Returns NULL if not found. A malloc()ed array otherwise": the C interface has no way to reuse a buffer.
    char *data = leveldb_get(state->database, options, (const char *)key.data, key.count, &length, &message);
    if (message != NULL) return leveldb_fail(error, message);
    leveldb_free(*kept);
    *kept = data;
    *value = (floor_bytes){(const uint8_t *)data, length};
    return GROVE_FLOOR_OK;
}

static grove_floor_code leveldb_floor_get(
    void *opaque, floor_bytes key, floor_bytes *value, grove_floor_error *error) {
    leveldb_state *state = opaque;
    return leveldb_get_with(state, state->view_options, &state->viewed, key, value, error);
}

static grove_floor_code leveldb_begin(void *opaque, grove_floor_error *error) {
    (void)opaque, (void)error;
    return GROVE_FLOOR_OK;
}

static grove_floor_code leveldb_get_for_update(
    void *opaque, floor_bytes key, floor_bytes *value, grove_floor_error *error) {
    leveldb_state *state = opaque;
    return leveldb_get_with(state, state->update_options, &state->updated, key, value, error);
}

static grove_floor_code leveldb_floor_put(
    void *opaque, floor_bytes key, floor_bytes value, grove_floor_error *error) {
    (void)error;
    leveldb_state *state = opaque;
    leveldb_writebatch_put(state->batch, (const char *)key.data, key.count, (const char *)value.data, value.count);
    return GROVE_FLOOR_OK;
}

static grove_floor_code leveldb_remove(void *opaque, floor_bytes key, grove_floor_error *error) {
    (void)error;
    leveldb_state *state = opaque;
    leveldb_writebatch_delete(state->batch, (const char *)key.data, key.count);
    return GROVE_FLOOR_OK;
}

static void leveldb_abort(void *opaque) {
    leveldb_state *state = opaque;
    leveldb_writebatch_clear(state->batch);
}

static grove_floor_code leveldb_commit(void *opaque, grove_floor_error *error) {
    leveldb_state *state = opaque;
    char *message = NULL;
    leveldb_write(state->database, state->write_options, state->batch, &message);
    leveldb_writebatch_clear(state->batch);
    return message == NULL ? GROVE_FLOOR_OK : leveldb_fail(error, message);
}

const floor_engine floor_leveldb = {
    .version = leveldb_version,
    .open = leveldb_floor_open,
    .close = leveldb_floor_close,
    .begin_view = leveldb_begin_view,
    .get = leveldb_floor_get,
    .end_view = leveldb_end_view,
    .begin = leveldb_begin,
    .get_for_update = leveldb_get_for_update,
    .put = leveldb_floor_put,
    .remove = leveldb_remove,
    .commit = leveldb_commit,
    .abort = leveldb_abort,
    .resident = NULL,
};
