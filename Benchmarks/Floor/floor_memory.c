// Memory: a hash table with linear probing over one arena that holds keys and values.
#include <stdlib.h>
#include <string.h>

#include "floor_engine.h"

typedef struct memory_slot {
    uint64_t hash;
    size_t offset;         // of the key in the arena; the value follows it
    uint32_t key_count;    // 0: the slot is empty, as no key is
    uint32_t value_count;
    uint32_t capacity;     // room for the value in place
} memory_slot;

typedef struct memory_state {
    memory_slot *slots;
    size_t mask;           // the number of slots, a power of two, less one
    size_t used;
    uint8_t *arena;
    size_t arena_count;
    size_t arena_capacity;
} memory_state;

static const char *memory_version(void) {
    return "memory";
}

static void memory_close(void *opaque) {
    memory_state *state = opaque;
    free(state->slots);
    free(state->arena);
    free(state);
}

static grove_floor_code memory_open(const char *directory, void **opaque, grove_floor_error *error) {
    (void)directory;
    memory_state *state = calloc(1, sizeof *state);
    if (state != NULL) {
        state->mask = 1023;
        state->slots = calloc(state->mask + 1, sizeof *state->slots);
    }
    if (state == NULL || state->slots == NULL) {
        free(state);
        return floor_fail(error, GROVE_FLOOR_NO_MEMORY, 0, "out of memory");
    }
    *opaque = state;
    return GROVE_FLOOR_OK;
}

/// The slot that holds `key`, or the empty one where it would go.
static inline memory_slot *memory_find(memory_state *state, uint64_t hash, floor_bytes key) {
    for (size_t i = hash & state->mask;; i = (i + 1) & state->mask) {
        memory_slot *slot = &state->slots[i];
        if (slot->key_count == 0) return slot;
        if (slot->hash == hash && slot->key_count == key.count
            && memcmp(state->arena + slot->offset, key.data, key.count) == 0)
            return slot;
    }
}

static bool memory_grow(memory_state *state) {
    size_t mask = state->mask * 2 + 1;
    memory_slot *slots = calloc(mask + 1, sizeof *slots);
    if (slots == NULL) return false;
    for (size_t i = 0; i <= state->mask; i++) {
        if (state->slots[i].key_count == 0) continue;
        size_t j = state->slots[i].hash & mask;
        while (slots[j].key_count != 0) j = (j + 1) & mask;
        slots[j] = state->slots[i];
    }
    free(state->slots);
    state->slots = slots;
    state->mask = mask;
    return true;
}

static bool memory_reserve(memory_state *state, size_t bytes) {
    size_t needed = state->arena_count + bytes;
    if (needed <= state->arena_capacity) return true;
    size_t capacity = state->arena_capacity < 1 << 20 ? 1 << 20 : state->arena_capacity;
    while (capacity < needed) capacity *= 2;
    uint8_t *arena = realloc(state->arena, capacity);
    if (arena == NULL) return false;
    state->arena = arena;
    state->arena_capacity = capacity;
    return true;
}

static grove_floor_code memory_begin(void *opaque, grove_floor_error *error) {
    (void)opaque, (void)error;
    return GROVE_FLOOR_OK;
}

static void memory_end(void *opaque) {
    (void)opaque;
}

static grove_floor_code memory_get(void *opaque, floor_bytes key, floor_bytes *value, grove_floor_error *error) {
    (void)error;
    memory_state *state = opaque;
    memory_slot *slot = memory_find(state, floor_hash(key), key);
    if (slot->key_count == 0)
        *value = (floor_bytes){NULL, 0};
    else
        *value = (floor_bytes){state->arena + slot->offset + slot->key_count, slot->value_count};
    return GROVE_FLOOR_OK;
}

static grove_floor_code memory_put(void *opaque, floor_bytes key, floor_bytes value, grove_floor_error *error) {
    memory_state *state = opaque;
    if (key.count == 0 || key.count > UINT32_MAX || value.count > UINT32_MAX)
        return floor_fail(error, GROVE_FLOOR_KEY_SIZE, 0, "the memory floor takes 1 byte to 4 GiB");
    uint64_t hash = floor_hash(key);
    memory_slot *slot = memory_find(state, hash, key);
    if (slot->key_count == 0 || slot->capacity < value.count) {
        if (slot->key_count == 0 && (state->used + 1) * 10 > (state->mask + 1) * 7) {
            if (!memory_grow(state)) return floor_fail(error, GROVE_FLOOR_NO_MEMORY, 0, "out of memory");
            slot = memory_find(state, hash, key);
        }
        if (!memory_reserve(state, key.count + value.count))
            return floor_fail(error, GROVE_FLOOR_NO_MEMORY, 0, "out of memory");
        if (slot->key_count == 0) state->used += 1;
        *slot = (memory_slot){hash, state->arena_count, (uint32_t)key.count, 0, (uint32_t)value.count};
        memcpy(state->arena + slot->offset, key.data, key.count);
        state->arena_count += key.count + value.count;
    }
    if (value.count > 0) memcpy(state->arena + slot->offset + slot->key_count, value.data, value.count);
    slot->value_count = (uint32_t)value.count;
    return GROVE_FLOOR_OK;
}

static grove_floor_code memory_remove(void *opaque, floor_bytes key, grove_floor_error *error) {
    (void)error;
    memory_state *state = opaque;
    memory_slot *slot = memory_find(state, floor_hash(key), key);
    if (slot->key_count == 0) return GROVE_FLOOR_OK;
    // Knuth, TAOCP 6.4, algorithm R: close the gap, so that no marker of a deletion lengthens later probes.
    size_t gap = (size_t)(slot - state->slots);
    for (size_t i = (gap + 1) & state->mask; state->slots[i].key_count != 0; i = (i + 1) & state->mask) {
        size_t home = state->slots[i].hash & state->mask;
        if (((i - home) & state->mask) < ((i - gap) & state->mask)) continue;
        state->slots[gap] = state->slots[i];
        gap = i;
    }
    state->slots[gap].key_count = 0;
    state->used -= 1;
    if (state->used == 0) state->arena_count = 0;
    return GROVE_FLOOR_OK;
}

static uint64_t memory_resident(void *opaque) {
    memory_state *state = opaque;
    return (state->mask + 1) * sizeof *state->slots + state->arena_count;
}

const floor_engine floor_memory = {
    .version = memory_version,
    .open = memory_open,
    .close = memory_close,
    .begin_view = memory_begin,
    .get = memory_get,
    .end_view = memory_end,
    .begin = memory_begin,
    .get_for_update = memory_get,
    .put = memory_put,
    .remove = memory_remove,
    .commit = memory_begin,
    .abort = memory_end,
    .resident = memory_resident,
};
