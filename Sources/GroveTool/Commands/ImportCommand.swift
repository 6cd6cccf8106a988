#if Tool
    import ArgumentParser
    import GroveCache
    import GroveCoding
    import GroveCompare
    import GroveModel

    /// `grove import`: a JSON document, split into nodes.
    struct ImportCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Stores a JSON document as one record for each identified object.",
            discussion: """
                The identity rules are a JSON file:
                  {"rules": [{"field": "user", "type": "User", "id": "id"}]}
                An object that stands under the property "field" (directly, in an array, or in a dictionary of objects \
                under it) and has a string or a number under "id" becomes a node, identified as "User:12", or as "12" \
                where "type" is null. "*" is any property, and a "field" of null is the document itself: the object \
                that it is, or the objects of the array that it is. The first rule that fits wins. Occurrences of one \
                identifier merge field by field, the later one winning.

                The document is written in one transaction: all of it or nothing. A store that holds something already \
                keeps it, and fields merge. With --replace a new store is made beside the old one, and takes its \
                place when it is whole, and verified if --verify asks for it: until then the old one is as it was. \
                Where the tool is killed, a directory grove-… may stay behind beside the store.

                Prints one line of JSON: objects identified, distinct nodes, distinct (parent, child) pairs between \
                them as they are stored, and the store's size as du counts it.

                EXAMPLES
                  grove import feed.json --identity rules.json --backend lmdb --store feed
                  grove import feed.json --identity rules.json --backend memory --verify
                  grove import - --identity rules.json --backend lmdb --store feed < feed.json
                """)

        @Argument(help: ArgumentHelp("The JSON document; - is standard input.", valueName: "file"))
        var file: String

        @Option(help: ArgumentHelp("The identity rules.", valueName: "rules"))
        var identity: String

        @OptionGroup var store: StoreOptions

        @Flag(help: "Rebuilds the document from its nodes and compares it with the file.")
        var verify = false

        @Flag(help: "Replaces the store by a new one.")
        var replace = false

        func run() async throws {
            try LargeStack.run(unavailable: LargeStack.noThread) { () throws in try runHere() }
        }

        private func runHere() throws(ToolError) {
            let place = try StorePlace(store)
            Terminal.progress("reading \(InputFile.name(file))")
            let (document, text) = try InputFile.stream(file, identity: identity, keepsText: verify)
            let source = Source(text: text, document: document)

            let summary: JSON
            var failure: ToolError?
            if replace, place.holdsStore {
                let replacement = try StoreReplacement(of: place)
                (summary, failure) = try store(source, in: replacement.place)
                if let failure { throw failure }
                try replacement.install()
            } else {
                let isNew = place.directory.map { FilePlace($0) == .missing } ?? false
                let made = isNew ? place.directory : nil
                if let made { Cleanup.register(made) }
                do {
                    (summary, failure) = try store(source, in: place)
                } catch {
                    if let made { Cleanup.remove(made) }
                    throw error
                }
                if let made { Cleanup.forget(made) }
            }
            Terminal.progress("")
            try OutputFile.write(JSONPrinter.print(summary), to: nil)
            if let failure { throw failure }
            if verify { Terminal.note("verified: the document rebuilt from its nodes equals \(InputFile.name(file))") }
        }

        /// The document that was read.
        private struct Source {
            /// The document's text, if it is to be verified.
            let text: [UInt8]?
            let document: DocumentStream
        }

        /// Stores the document in `place`, and closes the store.
        ///
        /// - Returns: the summary to print, and the error if the document was to be verified and is not.
        private func store(_ source: Source, in place: StorePlace) throws(ToolError) -> (JSON, ToolError?) {
            let document = source.document
            let cache = try place.open()
            defer { cache.close() }
            let before = try ToolError.wrapping("cannot read the store") { () throws(CacheError) in try cache.size() }
            try ToolError.wrapping("cannot store \(InputFile.name(file))") { () throws(CacheError) in
                Terminal.progress("storing \(document.identifiers.count) nodes")
                _ = try cache.write(document)
                try cache.flush(.standard)
            }
            let failure = source.text.flatMap { check($0, cache, hadContent: before.entries > 0) }
            let edges = try ToolError.wrapping("cannot read the store") { () throws(CacheError) in
                try cache.edges(of: document.identifiers)
            }
            // Closing removes files, such as SQLite's log.
            cache.close()
            let summary: JSON = [
                "occurrences": JSON(document.occurrences), "nodes": JSON(document.identifiers.count),
                "edges": JSON(edges),
                "bytesOnDisk": JSON(try place.bytesOnDisk()),
            ]
            return (summary, failure)
        }

        /// Rebuilds the document and returns an error if it differs.
        private func check(_ text: [UInt8], _ cache: any ToolCache, hadContent: Bool) -> ToolError? {
            Terminal.progress("verifying")
            do throws(ToolError) {
                let rebuilt = try cache.document(in: "the store")
                guard let path = try InputFile.json(text, from: file).firstDifference(from: rebuilt) else { return nil }
                return .failed(
                    "the document rebuilt from its nodes differs from \(InputFile.name(file)) at \(path)"
                        + (hadContent ? "; the store held other content: try --replace" : ""))
            } catch {
                return error
            }
        }
    }
#endif
