/// The floor that `grove compare` divides by.
///
/// Each engine is called directly from C, at its best known layout, with the flags and the durability of Grove's
/// backend over it: statements are prepared once, handles and buffers are reused, nothing is coded or decoded. A floor
/// stores and fetches the bytes it is handed, in transactions and views of the size it is handed, and says how long
/// that took.
///
/// Threads: one thread may read (`grove_floor_get`) while another writes (the others), except on the memory floor,
/// which one thread uses at a time. Nothing here exits or aborts the process; every failure is a code and a sentence.
#ifndef GROVE_FLOOR_H
#define GROVE_FLOOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The engines that have a floor.
typedef enum grove_floor_engine {
    /// An open-addressing hash table over one arena; the directory is not used.
    GROVE_FLOOR_MEMORY = 0,
    /// `MDB_NOTLS | MDB_NOMETASYNC`, a map of 4 GiB, text keys, one read transaction renewed for each view.
    GROVE_FLOOR_LMDB = 1,
    /// WAL, `synchronous=NORMAL`, a rowid table with an index on a 64-bit hash of the key; the key itself is compared.
    GROVE_FLOOR_SQLITE = 2,
    /// Paranoid and verified, a bloom filter of 10 bits, a snapshot for each view, one sync for each transaction.
    GROVE_FLOOR_LEVELDB = 3
} grove_floor_engine;

/// What went wrong.
typedef enum grove_floor_code {
    GROVE_FLOOR_OK = 0,
    /// The caller's arguments make no sense: an index out of range, groups that do not end at the last operation.
    GROVE_FLOOR_ARGUMENT = 1,
    /// The engine failed; `engine_code` holds its own code where it has one.
    GROVE_FLOOR_ENGINE = 2,
    /// The map or the volume is full.
    GROVE_FLOOR_FULL = 3,
    /// A key is longer than the engine takes (LMDB: 511 bytes), or empty.
    GROVE_FLOOR_KEY_SIZE = 4,
    /// No memory was left.
    GROVE_FLOOR_NO_MEMORY = 5,
    /// Two keys share one 64-bit hash, which the SQLite floor's layout does not hold.
    GROVE_FLOOR_COLLISION = 6
} grove_floor_code;

/// A failure: a code, the engine's own code or 0, and a sentence that ends in NUL.
typedef struct grove_floor_error {
    grove_floor_code code;
    int engine_code;
    char message[256];
} grove_floor_error;

/// The sentence of `error`, for callers to whom an array inside a struct is awkward (Swift sees a tuple).
const char *grove_floor_error_message(const grove_floor_error *error);

/// Keys and values as flat arrays: item `i` is the bytes from `offsets[i]` to `offsets[i + 1]`.
typedef struct grove_floor_records {
    const uint8_t *keys;
    /// `count + 1` offsets into `keys`.
    const size_t *key_offsets;
    /// Not read by `grove_floor_get` and `grove_floor_delete`, which take `NULL`.
    const uint8_t *values;
    /// `count + 1` offsets into `values`, or `NULL` beside `values`.
    const size_t *value_offsets;
    size_t count;
} grove_floor_records;

/// What to do with the records: which, in which order, and how many to a transaction or view.
typedef struct grove_floor_plan {
    /// Indices of records in the order of the operations, or `NULL` for the records' own order.
    const uint32_t *order;
    /// How many operations: the length of `order`, or at most the number of records.
    size_t operations;
    /// Operations to a group, that is to one transaction or one view; the last group may have fewer.
    size_t group;
    /// Where groups differ in size (trees do): for each group the number of operations up to its end. `NULL`
    /// otherwise; where given, `group` is not read.
    const size_t *group_ends;
    /// The length of `group_ends`.
    size_t groups;
    /// `NULL`, or room for the nanoseconds of each group, see `grove_floor_plan_groups`.
    uint64_t *latencies;
} grove_floor_plan;

/// What a run of a plan did.
typedef struct grove_floor_result {
    /// Time from before the first group to after the last, of the monotonic clock.
    uint64_t nanoseconds;
    /// The sum of `grove_floor_checksum` over the values fetched, so that fetching cannot be optimised away and the
    /// caller can check that the floor did its work.
    uint64_t checksum;
    /// Operations whose key was there.
    size_t found;
    /// Records put or removed.
    size_t written;
} grove_floor_result;

/// An open engine.
typedef struct grove_floor grove_floor;

/// The engine's name and version as the library reports it, such as "LMDB 0.9.24"; valid for ever.
const char *grove_floor_engine_version(grove_floor_engine engine);

/// Opens `engine` in `directory`, which exists; its files are made where they are missing.
///
/// Returns `NULL` and fills `error` where that fails.
grove_floor *grove_floor_open(grove_floor_engine engine, const char *directory, grove_floor_error *error);

/// Closes and frees; `NULL` is allowed. The files stay.
void grove_floor_close(grove_floor *floor);

/// Puts the planned records, one transaction to a group.
grove_floor_code grove_floor_put(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan,
    grove_floor_result *result, grove_floor_error *error);

/// Gets the planned records, one read view to a group, and touches every byte of each value.
///
/// An absent key is no failure; compare `found` with the number of operations.
grove_floor_code grove_floor_get(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan,
    grove_floor_result *result, grove_floor_error *error);

/// Gets each planned record inside a write transaction and puts it where the stored value differs or is absent.
///
/// A group in which nothing differs commits nothing.
grove_floor_code grove_floor_compare_put(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan,
    grove_floor_result *result, grove_floor_error *error);

/// Removes the planned records, one transaction to a group; `found` is not counted.
grove_floor_code grove_floor_delete(
    grove_floor *floor, const grove_floor_records *records, const grove_floor_plan *plan,
    grove_floor_result *result, grove_floor_error *error);

/// Bytes on disk as `du` counts them; of the memory floor, bytes allocated. 0 where the directory cannot be read.
uint64_t grove_floor_size(grove_floor *floor);

/// How many groups `plan` has: the room that `latencies` needs.
size_t grove_floor_plan_groups(const grove_floor_plan *plan);

/// A sum over the words of `bytes`, made to be cheap.
uint64_t grove_floor_checksum(const uint8_t *bytes, size_t count);

/// The checksum that `grove_floor_get` must report where it finds every planned record.
uint64_t grove_floor_expected_checksum(const grove_floor_records *records, const grove_floor_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
