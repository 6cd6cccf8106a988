#if Tool
    import ArgumentParser
    import GroveCache
    import GroveModel

    /// `grove export`: the imported document, rebuilt from its nodes.
    struct ExportCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Prints the imported document, rebuilt from its nodes.",
            discussion: """
                Every node is in its newest version, whoever wrote it. Members of objects stand in the order of the \
                records. A document whose nodes hold each other in a circle cannot be printed and ends in the error \
                "cycle"; grove inspect still shows its nodes.

                EXAMPLES
                  grove export --backend lmdb --store feed --output feed.json
                """)

        @OptionGroup var store: StoreOptions

        @Option(help: ArgumentHelp("The file to write; standard output otherwise.", valueName: "file"))
        var output: String?

        @Flag(help: "Indents nested values.")
        var pretty = false

        func run() async throws {
            try LargeStack.run(unavailable: LargeStack.noThread) { () throws in
                try OutputFile.check(output)
                let place = try StorePlace(store.backend, store.store)
                let cache = try place.openExisting()
                defer { cache.close() }
                Terminal.progress("rebuilding the document")
                let json = try ExportCommand.rebuild(cache, place.directory ?? "memory")
                Terminal.progress("")
                try OutputFile.write(JSONPrinter.print(json, indentation: pretty ? 2 : 0), to: output)
            }
        }

        /// The document that `cache` holds.
        static func rebuild(_ cache: any ToolCache, _ place: String) throws(ToolError) -> JSON {
            try ToolError.wrapping("cannot rebuild the document") { () throws(CacheError) -> Result<JSON, ToolError> in
                switch try cache.readDocument() {
                case .hit(let root): return .success(try Document.rebuilt(from: root))
                case .miss(let miss) where miss.identifier.rawValue == Document.key && miss.reason == .absent:
                    return .failure(ToolError.input("\(place) holds no imported document; import one first"))
                case .miss(let miss):
                    return .failure(ToolError.failed("cannot rebuild the document: a node is missing: \(miss)"))
                }
            }.get()
        }
    }
#endif
