#if Tool
    import ArgumentParser
    import GroveCache
    import GroveCompare
    import GroveModel

    /// `grove copy`: a whole copy of a store that other processes may be using.
    struct CopyCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy",
            abstract: "Copies a store, while others read and write it.",
            discussion: """
                The copy is a store of the same backend and shows one moment. The directory TO must be empty, or not be \
                there. A copy that is interrupted is no store: remove it. LevelDB lets one process at a time open a \
                store, so that its process must end first, or call copy(to:) itself.

                EXAMPLES
                  grove copy feed feed-copy
                """)

        @Argument(help: ArgumentHelp("The store's directory.", valueName: "from"))
        var from: String

        @Argument(help: ArgumentHelp("The directory of the copy.", valueName: "to"))
        var to: String

        @Option(help: ArgumentHelp("The bytes that LMDB may map; more than the store has.", valueName: "bytes"))
        var mapSize: Int?

        func run() async throws {
            let place = try StorePlace(holding: from, mapSize: mapSize)
            let cache = try place.openExisting()
            defer { cache.close() }
            do throws(CacheError) {
                try await cache.copy(to: to)
            } catch {
                guard error.code != .notAStore else { throw ToolError.input(error.message) }
                throw ToolError(error, "cannot copy the store")
            }
        }
    }
#endif
