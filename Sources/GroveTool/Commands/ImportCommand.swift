#if Tool
    import ArgumentParser
    import GroveCache
    import GroveModel

    /// `grove import`: a JSON document, taken apart into nodes.
    struct ImportCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Stores a JSON document as one record for each identified object.",
            discussion: """
                The identity rules are a JSON file:
                  {"rules": [{"field": "user", "type": "User", "id": "id"}]}
                An object that stands under the property "field" (directly, in an array, or in a dictionary of objects \
                under it; "*" is any property) and has a string or a number under "id" becomes a node, identified as \
                "User:12", or as "12" where "type" is null. The first rule that fits wins. Occurrences of one \
                identifier merge field by field, the later one winning.

                The document is written in one transaction: all of it or nothing. A store that holds something already \
                keeps it, and fields merge; --replace empties it first.

                Prints one line of JSON: objects identified, distinct nodes, distinct (parent, child) pairs between \
                nodes, and the store's size as du counts it.

                EXAMPLES
                  grove import feed.json --identity rules.json --backend lmdb --store feed
                  grove import feed.json --identity rules.json --backend memory --verify
                """)

        @Argument(help: ArgumentHelp("The JSON document.", valueName: "file"))
        var file: String

        @Option(help: ArgumentHelp("The identity rules.", valueName: "rules"))
        var identity: String

        @OptionGroup var store: StoreOptions

        @Flag(help: "Rebuilds the document from its nodes and compares it with the file.")
        var verify = false

        @Flag(help: "Empties the store first.")
        var replace = false

        func run() async throws {
            try LargeStack.run(unavailable: LargeStack.noThread) { () throws in try runHere() }
        }

        private func runHere() throws {
            let place = try StorePlace(store.backend, store.store)
            Terminal.progress("reading \(file)")
            let (json, document) = try InputFile.document(file, identity: identity)

            let isNew = place.directory.map { FilePlace($0) == .missing } ?? false
            if isNew, let directory = place.directory { Cleanup.register(directory) }
            var isStored = false
            defer {
                if isNew, let directory = place.directory {
                    if isStored { Cleanup.forget(directory) } else { Cleanup.remove(directory) }
                }
            }
            let cache = try place.open()
            defer { cache.close() }
            let before = try ToolError.wrapping("cannot read the store") { () throws(CacheError) in try cache.size() }
            try ToolError.wrapping("cannot store \(file)") { () throws(CacheError) in
                if replace { try cache.wipe() }
                Terminal.progress("storing \(document.nodes) nodes")
                _ = try cache.write(document)
                try cache.flush()
            }
            isStored = true
            let size = try ToolError.wrapping("cannot read the store") { () throws(CacheError) in try cache.size() }
            let failure = verify ? check(json, document, cache, hadContent: before.entries > 0 && !replace) : nil
            Terminal.progress("")
            let summary: JSON = [
                "occurrences": JSON(document.occurrences), "nodes": JSON(document.nodes), "edges": JSON(document.edges),
                "bytesOnDisk": JSON(size.bytesOnDisk),
            ]
            try OutputFile.write(JSONPrinter.print(summary), to: nil)
            if let failure { throw failure }
            if verify { Terminal.note("verified: the document rebuilt from its nodes equals \(file)") }
        }

        /// Rebuilds the document and says how it differs.
        private func check(
            _ json: JSON, _ document: Document, _ cache: any ToolCache, hadContent: Bool
        ) -> ToolError? {
            Terminal.progress("verifying")
            do throws(ToolError) {
                let rebuilt = try ExportCommand.rebuild(cache, "the store")
                guard let path = json.firstDifference(from: rebuilt) else { return nil }
                return .failed(
                    "the document rebuilt from its nodes differs from \(file) at \(path)"
                        + (hadContent ? "; the store held other content: try --replace" : ""))
            } catch {
                return error
            }
        }
    }
#endif
