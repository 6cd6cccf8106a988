#include <sqlite3.h>

// `sqlite3_db_config` takes variable arguments, which Swift cannot call.
// Keeps `connection` from copying the log into the database, and removing it, when it is the last to close.
static inline int grove_sqlite3_leave_log(sqlite3 *connection, int leaves) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leaves, (int *)0);
}
