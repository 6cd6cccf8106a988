// The function table behind which each engine stands. Private to this target.
#ifndef GROVE_FLOOR_ENGINE_H
#define GROVE_FLOOR_ENGINE_H

#include <stdbool.h>

#include "GroveFloor.h"

typedef struct floor_bytes {
    const uint8_t *data;
    size_t count;
} floor_bytes;

/// One engine. Views and transactions share nothing but the engine, so that one thread may read while another writes.
typedef struct floor_engine {
    const char *(*version)(void);
    grove_floor_code (*open)(const char *directory, void **state, grove_floor_error *error);
    void (*close)(void *state);

    grove_floor_code (*begin_view)(void *state, grove_floor_error *error);
    /// Absent: `value->data` is `NULL`. The bytes are valid until the next call on the view.
    grove_floor_code (*get)(void *state, floor_bytes key, floor_bytes *value, grove_floor_error *error);
    void (*end_view)(void *state);

    grove_floor_code (*begin)(void *state, grove_floor_error *error);
    /// As `get`, inside the transaction.
    grove_floor_code (*get_for_update)(void *state, floor_bytes key, floor_bytes *value, grove_floor_error *error);
    grove_floor_code (*put)(void *state, floor_bytes key, floor_bytes value, grove_floor_error *error);
    grove_floor_code (*remove)(void *state, floor_bytes key, grove_floor_error *error);
    grove_floor_code (*commit)(void *state, grove_floor_error *error);
    void (*abort)(void *state);

    /// Bytes in memory, or `NULL` where the engine's files are what counts.
    uint64_t (*resident)(void *state);
} floor_engine;

extern const floor_engine floor_memory;
extern const floor_engine floor_lmdb;
extern const floor_engine floor_sqlite;
extern const floor_engine floor_leveldb;

/// Fills `error` (which may be `NULL`) and returns `code`.
grove_floor_code floor_fail(grove_floor_error *error, grove_floor_code code, int engine_code, const char *message);

/// `directory`/`name`, to be freed; `NULL` where memory is out.
char *floor_path(const char *directory, const char *name);

/// A 64-bit multiply hash of the bytes, never looked at by anybody but this target.
uint64_t floor_hash(floor_bytes bytes);

#endif
