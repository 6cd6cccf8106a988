// The code of Docs/Guides/SeveralProcesses.md, between rules; a test holds the two together.
// -----
import GroveSQLite

/// The cache as each process opens it: with one budget, and with a history by which each learns what the others have
/// changed.
func openShared(_ directory: String) throws -> SQLiteCache {
    try SQLiteCache(directory: directory, budget: CacheBudget(bytes: 50_000_000), history: 1_000)
}

/// Call it when the application becomes active, and by a timer while it shows what others may change.
func look(_ cache: SQLiteCache) { cache.noticeCommitsOfOtherProcesses() }
// -----
