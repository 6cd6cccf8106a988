import GroveModel

/// Decoded models that a read uses again where a tree names them, and the sights that tell which are worth keeping.
struct ReadyModels: ~Copyable {
    /// The nodes that were met.
    private var sights = SeenNodes()
    /// The nodes that were met again, decoded.
    private var remembered: [Name: any SimpleModel] = [:]
    /// Models that the read is not to look for.
    private var known: [Name: any SimpleModel] = [:]

    /// A node as a type.
    private struct Name: Hashable {
        let identifier: [UInt8]
        let type: ObjectIdentifier

        init(_ identifier: [UInt8], _ type: any SimpleModel.Type) {
            self.identifier = identifier
            self.type = ObjectIdentifier(type)
        }

        init(_ identifier: UnsafeRawBufferPointer, _ type: ObjectIdentifier) {
            self.identifier = unsafe Array(identifier)
            self.type = type
        }
    }

    /// Notes that a node of `hash` was met; returns whether one was before.
    mutating func meet(_ hash: UInt64) -> Bool { sights.note(hash) }

    /// Has `model` ready for the rest of the tree.
    mutating func remember(
        _ model: any SimpleModel, _ identifier: UnsafeRawBufferPointer, _ type: ObjectIdentifier
    ) {
        unsafe remembered[Name(identifier, type)] = model
    }

    func isRemembered(_ identifier: UnsafeRawBufferPointer, _ type: ObjectIdentifier) -> Bool {
        unsafe remembered[Name(identifier, type)] != nil
    }

    /// Puts `models` in the place of their identifiers in trees until the read ends; they are not looked for.
    mutating func know(_ models: [any SimpleModel]) {
        for model in models {
            guard let identifier = model.modelIdentifier else { continue }
            known[Name(Array(identifier.rawValue.utf8), type(of: model))] = model
        }
    }

    /// Whether there are models that the read is not to look for.
    var knowsAny: Bool {
        @inline(__always) get { !known.isEmpty }
    }

    func isKnown(_ identifier: UnsafeRawBufferPointer, _ type: ObjectIdentifier) -> Bool {
        unsafe known[Name(identifier, type)] != nil
    }

    /// The model that is ready for the node of `identifier` as `type`.
    func find(_ identifier: UnsafeRawBufferPointer, _ type: ObjectIdentifier) -> (any SimpleModel)? {
        let name = unsafe Name(identifier, type)
        return remembered[name] ?? known[name]
    }

    /// Forgets the nodes that were met in a tree.
    @inline(__always)
    mutating func endTree() {
        if !remembered.isEmpty { remembered = [:] }
        sights.removeAll()
    }

    /// Forgets the models that the read was not to look for.
    mutating func endRead() { if !known.isEmpty { known = [:] } }
}
