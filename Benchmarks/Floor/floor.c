// Everything that is the same for all engines: plans, clocks, checksums, sizes.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "floor_engine.h"

struct grove_floor {
    const floor_engine *engine;
    void *state;
    char *directory;
};

static const floor_engine *engine_table(grove_floor_engine engine) {
    switch (engine) {
    case GROVE_FLOOR_MEMORY: return &floor_memory;
    case GROVE_FLOOR_LMDB: return &floor_lmdb;
    case GROVE_FLOOR_SQLITE: return &floor_sqlite;
    case GROVE_FLOOR_LEVELDB: return &floor_leveldb;
    }
    return NULL;
}

// MARK: - Helpers shared with the engines

grove_floor_code floor_fail(grove_floor_error *error, grove_floor_code code, int engine_code, const char *message) {
    if (error != NULL) {
        error->code = code;
        error->engine_code = engine_code;
        snprintf(error->message, sizeof error->message, "%s", message != NULL ? message : "no message");
    }
    return code;
}

char *floor_path(const char *directory, const char *name) {
    size_t length = strlen(directory) + strlen(name) + 2;
    char *path = malloc(length);
    if (path != NULL) snprintf(path, length, "%s/%s", directory, name);
    return path;
}

static inline uint64_t load64(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline uint64_t mix(uint64_t a, uint64_t b) {
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t floor_hash(floor_bytes bytes) {
    const uint64_t k0 = 0xa0761d6478bd642fULL, k1 = 0xe7037ed1a0b428dbULL;
    uint64_t hash = mix(bytes.count ^ k0, k1);
    const uint8_t *data = bytes.data;
    size_t left = bytes.count;
    for (; left >= 8; data += 8, left -= 8) hash = mix(hash ^ load64(data), k0);
    if (left > 0) {
        uint64_t tail = 0;
        memcpy(&tail, data, left);
        hash = mix(hash ^ tail, k1);
    }
    return mix(hash, k1);
}

uint64_t grove_floor_checksum(const uint8_t *bytes, size_t count) {
    uint64_t sum = count;
    for (; count >= 8; bytes += 8, count -= 8) sum += load64(bytes);
    if (count > 0) {
        uint64_t tail = 0;
        memcpy(&tail, bytes, count);
        sum += tail;
    }
    return sum;
}

// MARK: - Plans

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline size_t plan_record(const grove_floor_plan *plan, size_t operation) {
    return plan->order != NULL ? plan->order[operation] : operation;
}

static inline size_t plan_group_end(const grove_floor_plan *plan, size_t group, size_t start) {
    if (plan->group_ends != NULL) return plan->group_ends[group];
    size_t left = plan->operations - start;
    return start + (plan->group < left ? plan->group : left);
}

static inline floor_bytes record_key(const grove_floor_records *records, size_t index) {
    size_t start = records->key_offsets[index];
    return (floor_bytes){records->keys + start, records->key_offsets[index + 1] - start};
}

static inline floor_bytes record_value(const grove_floor_records *records, size_t index) {
    size_t start = records->value_offsets[index];
    return (floor_bytes){records->values + start, records->value_offsets[index + 1] - start};
}

size_t grove_floor_plan_groups(const grove_floor_plan *plan) {
    if (plan->group_ends != NULL) return plan->groups;
    return plan->group == 0 ? 0 : (plan->operations + plan->group - 1) / plan->group;
}

uint64_t grove_floor_expected_checksum(const grove_floor_records *records, const grove_floor_plan *plan) {
    uint64_t sum = 0;
    for (size_t operation = 0; operation < plan->operations; operation++) {
        floor_bytes value = record_value(records, plan_record(plan, operation));
        sum += grove_floor_checksum(value.data, value.count);
    }
    return sum;
}

/// Refuses a plan that would read out of bounds; runs before the clock does.
static grove_floor_code check(
    const grove_floor_records *records, const grove_floor_plan *plan, bool values, grove_floor_error *error) {
    if (values && records->value_offsets == NULL)
        return floor_fail(error, GROVE_FLOOR_ARGUMENT, 0, "the records have no values");
    if (plan->order == NULL && plan->operations > records->count)
        return floor_fail(error, GROVE_FLOOR_ARGUMENT, 0, "more operations than records");
    for (size_t i = 0; plan->order != NULL && i < plan->operations; i++) {
        if (plan->order[i] >= records->count)
            return floor_fail(error, GROVE_FLOOR_ARGUMENT, 0, "the order names a record that is not there");
    }
    if (plan->group_ends == NULL && plan->group == 0 && plan->operations > 0)
        return floor_fail(error, GROVE_FLOOR_ARGUMENT, 0, "a group of no operations");
    if (plan->group_ends != NULL) {
        size_t end = 0;
        for (size_t i = 0; i < plan->groups; i++) {
            if (plan->group_ends[i] < end)
                return floor_fail(error, GROVE_FLOOR_ARGUMENT, 0, "the groups' ends are not in order");
            end = plan->group_ends[i];
        }
        if (end != plan->operations)
            return floor_fail(error, GROVE_FLOOR_ARGUMENT, 0, "the last group does not end at the last operation");
    }
    return GROVE_FLOOR_OK;
}

// MARK: - Groups

typedef grove_floor_code (*floor_group)(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan, size_t start, size_t end,
    grove_floor_result *result, grove_floor_error *error);

/// Runs `body` for each group and keeps the time.
static grove_floor_code run(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan, bool values,
    grove_floor_result *result, grove_floor_error *error, floor_group body) {
    *result = (grove_floor_result){0};
    grove_floor_code code = check(records, plan, values, error);
    if (code != GROVE_FLOOR_OK) return code;

    size_t groups = grove_floor_plan_groups(plan);
    size_t start = 0;
    uint64_t began = now(), last = began;
    for (size_t group = 0; group < groups; group++) {
        size_t end = plan_group_end(plan, group, start);
        code = body(floor, records, plan, start, end, result, error);
        if (code != GROVE_FLOOR_OK) return code;
        if (plan->latencies != NULL) {
            uint64_t time = now();
            plan->latencies[group] = time - last;
            last = time;
        }
        start = end;
    }
    result->nanoseconds = now() - began;
    return GROVE_FLOOR_OK;
}

static grove_floor_code get_group(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan, size_t start, size_t end,
    grove_floor_result *result, grove_floor_error *error) {
    const floor_engine *engine = floor->engine;
    grove_floor_code code = engine->begin_view(floor->state, error);
    if (code != GROVE_FLOOR_OK) return code;
    for (size_t i = start; i < end; i++) {
        floor_bytes value;
        code = engine->get(floor->state, record_key(records, plan_record(plan, i)), &value, error);
        if (code != GROVE_FLOOR_OK) break;
        if (value.data == NULL) continue;
        result->found += 1;
        result->checksum += grove_floor_checksum(value.data, value.count);
    }
    engine->end_view(floor->state);
    return code;
}

static grove_floor_code put_group(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan, size_t start, size_t end,
    grove_floor_result *result, grove_floor_error *error) {
    const floor_engine *engine = floor->engine;
    grove_floor_code code = engine->begin(floor->state, error);
    if (code != GROVE_FLOOR_OK) return code;
    for (size_t i = start; i < end && code == GROVE_FLOOR_OK; i++) {
        size_t index = plan_record(plan, i);
        code = engine->put(floor->state, record_key(records, index), record_value(records, index), error);
    }
    if (code != GROVE_FLOOR_OK) {
        engine->abort(floor->state);
        return code;
    }
    result->written += end - start;
    return engine->commit(floor->state, error);
}

static grove_floor_code compare_put_group(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan, size_t start, size_t end,
    grove_floor_result *result, grove_floor_error *error) {
    const floor_engine *engine = floor->engine;
    grove_floor_code code = engine->begin(floor->state, error);
    if (code != GROVE_FLOOR_OK) return code;
    size_t written = 0;
    for (size_t i = start; i < end && code == GROVE_FLOOR_OK; i++) {
        size_t index = plan_record(plan, i);
        floor_bytes key = record_key(records, index), value = record_value(records, index), stored;
        code = engine->get_for_update(floor->state, key, &stored, error);
        if (code != GROVE_FLOOR_OK) break;
        if (stored.data != NULL) {
            result->found += 1;
            if (stored.count == value.count && memcmp(stored.data, value.data, value.count) == 0) continue;
        }
        code = engine->put(floor->state, key, value, error);
        written += 1;
    }
    if (code != GROVE_FLOOR_OK || written == 0) {
        engine->abort(floor->state);
        return code;
    }
    result->written += written;
    return engine->commit(floor->state, error);
}

static grove_floor_code delete_group(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan, size_t start, size_t end,
    grove_floor_result *result, grove_floor_error *error) {
    const floor_engine *engine = floor->engine;
    grove_floor_code code = engine->begin(floor->state, error);
    if (code != GROVE_FLOOR_OK) return code;
    for (size_t i = start; i < end && code == GROVE_FLOOR_OK; i++)
        code = engine->remove(floor->state, record_key(records, plan_record(plan, i)), error);
    if (code != GROVE_FLOOR_OK) {
        engine->abort(floor->state);
        return code;
    }
    result->written += end - start;
    return engine->commit(floor->state, error);
}

// MARK: - The interface

const char *grove_floor_error_message(const grove_floor_error *error) {
    return error->message;
}

const char *grove_floor_engine_version(grove_floor_engine engine) {
    const floor_engine *table = engine_table(engine);
    return table != NULL ? table->version() : "unknown engine";
}

grove_floor *grove_floor_open(grove_floor_engine engine, const char *directory, grove_floor_error *error) {
    const floor_engine *table = engine_table(engine);
    if (table == NULL || (directory == NULL && table->resident == NULL)) {
        floor_fail(error, GROVE_FLOOR_ARGUMENT, 0, table == NULL ? "no such engine" : "no directory was given");
        return NULL;
    }
    grove_floor *floor = calloc(1, sizeof *floor);
    char *copy = strdup(directory != NULL ? directory : "");
    if (floor == NULL || copy == NULL) {
        free(floor);
        free(copy);
        floor_fail(error, GROVE_FLOOR_NO_MEMORY, 0, "out of memory");
        return NULL;
    }
    floor->engine = table;
    floor->directory = copy;
    if (table->open(copy, &floor->state, error) != GROVE_FLOOR_OK) {
        free(copy);
        free(floor);
        return NULL;
    }
    return floor;
}

void grove_floor_close(grove_floor *floor) {
    if (floor == NULL) return;
    floor->engine->close(floor->state);
    free(floor->directory);
    free(floor);
}

grove_floor_code grove_floor_put(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan,
    grove_floor_result *result, grove_floor_error *error) {
    return run(floor, records, plan, true, result, error, put_group);
}

grove_floor_code grove_floor_get(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan,
    grove_floor_result *result, grove_floor_error *error) {
    return run(floor, records, plan, false, result, error, get_group);
}

grove_floor_code grove_floor_compare_put(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan,
    grove_floor_result *result, grove_floor_error *error) {
    return run(floor, records, plan, true, result, error, compare_put_group);
}

grove_floor_code grove_floor_delete(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan,
    grove_floor_result *result, grove_floor_error *error) {
    return run(floor, records, plan, false, result, error, delete_group);
}

uint64_t grove_floor_size(grove_floor *floor) {
    if (floor->engine->resident != NULL) return floor->engine->resident(floor->state);
    DIR *directory = opendir(floor->directory);
    if (directory == NULL) return 0;
    uint64_t bytes = 0;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        char *path = floor_path(floor->directory, entry->d_name);
        struct stat status;
        if (path != NULL && lstat(path, &status) == 0 && S_ISREG(status.st_mode))
            bytes += (uint64_t)status.st_blocks * 512;
        free(path);
    }
    closedir(directory);
    return bytes;
}
