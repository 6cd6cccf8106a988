#include <lmdb.h>
#include <sys/stat.h>

/// The length of the file behind `descriptor`, less than 0 where that fails with `errno`.
///
/// In C, as in Swift it depends on the order of modules which of them declares `struct stat`.
static inline long long grove_lmdb_length(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? (long long)status.st_size : -1;
}
