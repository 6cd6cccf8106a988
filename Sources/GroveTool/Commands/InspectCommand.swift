#if Tool
    import ArgumentParser
    import GroveCache
    import GroveCoding
    import GroveCompare
    import GroveInspect
    import GroveModel

    /// `grove inspect`: the content of a store, without the types of the models.
    struct InspectCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inspect",
            abstract: "Shows the records of a store, without the models' types.",
            discussion: """
                Without an identifier it lists the nodes, and with --stats counts what is there. With an identifier it \
                shows the node's record: the envelope (sequence of the last write, record name, projections and the \
                fields that each wrote, deletion) and the body, references as {"$ref": identifier}. With --tree it \
                prints the tree below the node, every node in its newest version. A store that cannot be written to, or \
                that LevelDB has open in another process, is copied to a temporary directory and read there.

                If a part of the store is damaged, the rest is shown, one line says what cannot be read, and the status \
                is 3. A record that is damaged by itself is shown as such and counted, and the status is 0.

                EXAMPLES
                  grove inspect --backend lmdb --store feed --limit 20
                  grove inspect --backend lmdb --store feed User:12
                  grove inspect --backend lmdb --store feed User:12 --tree --format json
                  grove inspect --backend lmdb --store feed --stats
                """)

        /// The format of the printed result.
        enum Format: String, CaseIterable, ExpressibleByArgument {
            case pretty
            case json
        }

        @OptionGroup var store: StoreOptions

        @Argument(help: ArgumentHelp("The identifier of a node.", valueName: "identifier"))
        var identifier: String?

        @Flag(help: "Prints the tree below the node.")
        var tree = false

        @Flag(help: "Counts records, references and bytes.")
        var stats = false

        @Option(help: ArgumentHelp("The most nodes to list; 0 lists all.", valueName: "n"))
        var limit = 100

        @Option(help: "How to print.")
        var format = Format.pretty

        func validate() throws {
            guard identifier?.isEmpty != true else { throw ValidationError("An identifier is not empty.") }
            guard !tree || identifier != nil else { throw ValidationError("--tree needs the identifier of a node.") }
            guard limit >= 0 else { throw ValidationError("--limit is not negative.") }
        }

        func run() async throws {
            try LargeStack.run(unavailable: LargeStack.noThread) { () throws in try runHere() }
        }

        private func runHere() throws {
            let place = try StorePlace(store)
            try ReadablePlace.read(place) { readable in
                if stats {
                    try printStatistics(readable)
                    if identifier == nil { return [] }
                }
                let cache = try readable.place.openExisting()
                defer { cache.close() }
                guard let identifier else {
                    try printList(cache)
                    return []
                }
                guard tree else {
                    try printRecord(cache, identifier)
                    return []
                }
                return try printTree(
                    cache, ModelIdentifier(identifier), readable.isPartial ? .asFarAsReadable : .whole)
            }
        }

        private func printRecord(_ cache: any ToolCache, _ identifier: String) throws(ToolError) {
            let record = try ToolError.wrapping("cannot read the store") { () throws(CacheError) in
                try cache.storedRecord(.node, identifier)
            }
            guard let record else { throw absent(identifier) }
            switch format {
            case .json: try OutputFile.write(JSONPrinter.print(record.json), to: nil)
            case .pretty: try OutputFile.write(Array(record.pretty.utf8), to: nil)
            }
            if case .failure(let error) = record.envelope { throw .failed("the record is unreadable: \(error)") }
        }

        /// - Returns: the nodes that cannot be read.
        private func printTree(
            _ cache: any ToolCache, _ identifier: ModelIdentifier, _ whole: Wholeness
        ) throws(ToolError) -> [ModelIdentifier] {
            let read = try ToolError.wrapping("cannot rebuild the tree") {
                () throws(CacheError) -> Result<RebuiltJSON, CacheMiss> in
                switch try cache.readTree(identifier, whole) {
                case .hit(let tree): .success(tree)
                case .miss(let miss): .failure(miss)
                }
            }
            switch read {
            case .success(let tree):
                try OutputFile.write(JSONPrinter.print(tree.json, indentation: format == .pretty ? 2 : 0), to: nil)
                return tree.unreadable
            case .failure(let miss):
                if miss.reason == .absent, miss.identifier == identifier { throw absent(identifier.rawValue) }
                throw .failed("cannot rebuild the tree: a node is missing: \(miss)")
            }
        }

        private func absent(_ identifier: String) -> ToolError {
            .failed(
                "the store holds no node \(identifier.debugDescription); grove inspect without it lists what is there")
        }

        private func printList(_ cache: any ToolCache) throws(ToolError) {
            var records: [StoredRecord] = []
            var total = 0
            try ToolError.wrapping("cannot read the store") { () throws(CacheError) in
                try cache.forEachStoredRecord(.node) { record in
                    total += 1
                    if limit == 0 || records.count < limit { records.append(record) }
                    return true
                }
            }
            switch format {
            case .json:
                let nodes = JSON.array(records.map { $0.summary })
                try OutputFile.write(JSONPrinter.print(["nodes": nodes, "total": JSON(total)]), to: nil)
            case .pretty:
                var table = TextTable(
                    ["bytes", "sequence", "record", "identifier"], alignment: [.right, .right, .left, .left])
                for record in records { table.append(record.row) }
                var text = table.description
                if records.count < total {
                    text += "\n\(records.count) of \(total) nodes; --limit 0 lists all"
                }
                try OutputFile.write(Array(text.utf8), to: nil)
            }
        }

        private func printStatistics(_ readable: borrowing ReadablePlace) throws(ToolError) {
            let cache = try readable.place.openExisting()
            defer { cache.close() }
            var statistics = try ToolError.wrapping("cannot read the store") { () throws(CacheError) in
                try StoreStatistics(cache)
            }
            // Closing removes files, such as SQLite's log.
            cache.close()
            statistics.bytesOnDisk = try readable.files.bytesOnDisk()
            switch format {
            case .json: try OutputFile.write(JSONPrinter.print(statistics.json), to: nil)
            case .pretty: try OutputFile.write(Array(statistics.pretty.utf8), to: nil)
            }
        }
    }
#endif
