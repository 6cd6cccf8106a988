#if Macros
    import GroveCache
    import GroveInspect
    import GroveMemory
    import GroveModel

    /// A value as a record holds it, and the nodes that were taken out of it.
    struct Encoded: Equatable {
        let bytes: [UInt8]
        /// The bodies of the nodes, by identifier.
        let bodies: [ModelIdentifier: [UInt8]]
        /// The record names of the nodes, by identifier.
        let recordNames: [ModelIdentifier: String]

        init(_ value: some NodeCodable) throws(CacheError) {
            let tree = NodeTree()
            var encoder = NodeEncoder(into: tree)
            try value.encodeValue(to: &encoder)
            bytes = unsafe Array(encoder.out.bytes)
            var bodies: [ModelIdentifier: [UInt8]] = [:]
            var names: [ModelIdentifier: String] = [:]
            for (index, entry) in tree.entries.enumerated() {
                bodies[tree.modelIdentifier(of: entry)] = try? tree.namedBody(index)
                names[tree.modelIdentifier(of: entry)] = tree.types[entry.type].name
            }
            self.bodies = bodies
            recordNames = names
        }
    }

    extension NodeTree {
        /// The body of the node at `index`, a map of its fields.
        func namedBody(_ index: Int) throws(NodeReadFailure) -> [UInt8] {
            let node = node(index)
            guard let shape = unsafe node.shape?.takeUnretainedValue() else { return unsafe Array(node.body) }
            return try unsafe shape.map(of: node.body)
        }
    }

    extension MemoryCache {
        /// The bodies of all records, by identifier.
        func bodies() throws -> [String: [UInt8]] {
            var bodies: [String: [UInt8]] = [:]
            try forEachStoredRecord(.node) { record in
                bodies[record.name] = try? record.envelope.get().body
                return true
            }
            return bodies
        }
    }
#endif
