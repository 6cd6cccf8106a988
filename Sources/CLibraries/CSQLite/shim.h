#if !__has_include(<sqlite3.h>)
#error "GroveSQLite needs sqlite3.h. On Debian: apt-get install libsqlite3-dev. Apple's SDKs have it."
#else
#include <sqlite3.h>

// `sqlite3_db_config` takes variable arguments, which Swift cannot call.
// Keeps `connection` from copying the log into the database, and removing it, when it is the last to close.
static inline int grove_sqlite3_leave_log(sqlite3 *connection, int leaves) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leaves, (int *)0);
}

// SQLite reads a few bytes past the end of a damaged page (3.40.1 does), which its own buffers leave room for and a map of
// the file does not: at the last page that may end the process. A page is read in place only where another is behind it.
struct grove_sqlite3_methods {
    const sqlite3_io_methods *plain;
    sqlite3_io_methods careful;
};

static inline struct grove_sqlite3_methods *grove_sqlite3_methods(void) {
    static struct grove_sqlite3_methods methods;
    return &methods;
}

static inline int grove_sqlite3_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **place) {
    return grove_sqlite3_methods()->plain->xFetch(file, offset, 2 * count, place);
}

// Makes `connection`, which has just been opened, read in place with care; where that cannot be, returns other than
// `SQLITE_OK`, and nothing must be mapped.
static inline int grove_sqlite3_map_carefully(sqlite3 *connection) {
    sqlite3_file *file = 0;
    int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (status != SQLITE_OK || !file || !file->pMethods || file->pMethods->iVersion < 3) return SQLITE_NOTFOUND;
    struct grove_sqlite3_methods *methods = grove_sqlite3_methods();
    sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
    sqlite3_mutex_enter(mutex);
    if (!methods->plain) {
        methods->careful = *file->pMethods;
        methods->careful.xFetch = grove_sqlite3_fetch;
        methods->plain = file->pMethods;
    }
    // A file system with locks of another kind has methods of its own.
    int is_known = file->pMethods == methods->plain;
    if (is_known) file->pMethods = &methods->careful;
    sqlite3_mutex_leave(mutex);
    return is_known ? SQLITE_OK : SQLITE_NOTFOUND;
}
#endif
