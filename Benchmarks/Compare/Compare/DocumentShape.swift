import GroveModel
import Synchronization

/// A number that is a type.
///
/// `Codable` models take their names from their types, but the names of a document are known only at run time. So each
/// of its projections takes a number, and its type is the generic ``CodableDocument`` of that number.
protocol DocumentShape: Sendable {
    static var number: Int { get }
}

/// The number 0.
enum FirstShape: DocumentShape {
    static var number: Int { 0 }
}

/// Twice another number.
enum EvenShape<Half: DocumentShape>: DocumentShape {
    static var number: Int { Half.number * 2 }
}

/// Twice another number, and one.
enum OddShape<Half: DocumentShape>: DocumentShape {
    static var number: Int { Half.number * 2 + 1 }
}

extension DocumentShape {
    /// What stands behind the number.
    static var projection: DocumentProjection { DocumentProjection.all.withLock { $0[number] } }
}

/// A projection of a document's nodes.
struct DocumentProjection: Sendable {
    /// How its records are called.
    struct Names: Hashable, Sendable {
        let record: String
        let projection: String
    }

    let names: Names
    let schema: DocumentSchema

    /// The projections of every document, by their numbers.
    ///
    /// A type's members are static, and so is what they look up.
    fileprivate static let all = Mutex<[DocumentProjection]>([])

    /// Gives each of `names` a number, in order.
    ///
    /// - Parameter schema: is told the numbers.
    static func add(_ names: [Names], _ schema: (Range<Int>) -> DocumentSchema) -> Range<Int> {
        all.withLock { projections in
            let numbers = projections.count..<projections.count + names.count
            let schema = schema(numbers)
            projections += names.map { DocumentProjection(names: $0, schema: schema) }
            return numbers
        }
    }

    /// The type that is `number`.
    static func shape(_ number: Int) -> any DocumentShape.Type {
        func next<Half: DocumentShape>(_ half: Half.Type) -> any DocumentShape.Type {
            number % 2 == 0 ? EvenShape<Half>.self : OddShape<Half>.self
        }
        return number == 0 ? FirstShape.self : next(shape(number / 2))
    }

    /// The model of the projection `number`.
    static func model(_ number: Int) -> any DocumentModel.Type {
        func model<Shape: DocumentShape>(_ shape: Shape.Type) -> any DocumentModel.Type { CodableDocument<Shape>.self }
        return model(shape(number))
    }
}

/// The types of the nodes of one document.
struct DocumentTypes: Sendable {
    /// What a tree is read as, whatever its names.
    let root: any DocumentShape.Type
    private let models: [DocumentProjection.Names: any DocumentModel.Type]

    /// Makes a type for each projection that occurs in `trees`.
    init(of trees: [DocumentNode]) {
        var survey = DocumentSurvey()
        for tree in trees { survey.add(.node(tree), at: .root) }
        // The root's type reads and is never written.
        let names = survey.names + [DocumentProjection.Names(record: DocumentNode.recordName, projection: "")]
        let numbers = DocumentProjection.add(names) { DocumentSchema(survey, numbers: $0) }
        root = DocumentProjection.shape(numbers.upperBound - 1)
        models = Dictionary(uniqueKeysWithValues: zip(survey.names, numbers.map { DocumentProjection.model($0) }))
    }

    /// `node` with the types of all of its nodes.
    func typed(_ node: DocumentNode) -> DocumentNode {
        node.mapNodes { node in
            var identity = node.identity
            let model = node.identity.flatMap { models[DocumentProjection.Names($0)] }
            identity?.model = model
            return DocumentNode(identity: identity, content: node.content)
        }
    }
}

extension DocumentProjection.Names {
    init(_ identity: DocumentNode.Identity) {
        self.init(record: identity.recordName, projection: identity.projectionName)
    }
}
