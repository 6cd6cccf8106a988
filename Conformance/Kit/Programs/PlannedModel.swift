import GroveCoding
import GroveModel

/// A model that programs write and read: made of a plan, and printed as the model of the program prints its answers.
protocol PlannedModel: CacheableModel {
    /// What the program's model says of an equal value.
    var answer: String { get }

    init?(_ plan: Plan)
}

extension Person: PlannedModel {
    init?(_ plan: Plan) {
        guard plan.kind == .person else { return nil }
        self.init(id: plan.identifier, name: "n\(plan.salt)", age: plan.salt % 3 == 0 ? nil : plan.salt)
    }

    var answer: String { "\(id)[\(name),\(age.map(String.init) ?? "nil")]" }
}

extension SmallProfile: PlannedModel {
    init?(_ plan: Plan) {
        guard plan.kind == .small else { return nil }
        self.init(id: plan.identifier, name: "n\(plan.salt)")
    }

    var answer: String { "\(id)[\(name)]" }
}

extension FullProfile: PlannedModel {
    init?(_ plan: Plan) {
        guard plan.kind == .full else { return nil }
        self.init(
            id: plan.identifier, bio: plan.salt % 3 == 0 ? nil : "b\(plan.salt)", mail: "m\(plan.salt)",
            name: "n\(plan.salt)")
    }

    var answer: String { "\(id)[\(name),\(bio ?? "nil"),\(mail)]" }
}

extension Letter: PlannedModel {
    init?(_ plan: Plan) {
        guard plan.kind == .letter, let child = plan.children[0], let author = Person(child) else { return nil }
        self.init(id: plan.identifier, author: author)
    }

    var answer: String { "\(id)[\(author.answer)]" }
}

extension Shelf: PlannedModel {
    init?(_ plan: Plan) {
        guard plan.kind == .shelf else { return nil }
        self.init(
            id: plan.identifier, top: plan.children[0].flatMap { Letter($0) },
            letters: plan.children.dropFirst().compactMap { $0.flatMap { Letter($0) } })
    }

    var answer: String { "\(id)[\(top?.answer ?? "nil"),\(letters.map(\.answer).joined(separator: ";"))]" }
}

extension Branch: PlannedModel {
    init?(_ plan: Plan) {
        guard plan.kind == .branch else { return nil }
        self.init(
            id: plan.identifier, label: plan.salt, boss: plan.children[0].flatMap { Person($0) },
            parts: plan.children.dropFirst().compactMap { $0.flatMap { Branch($0) } })
    }

    var answer: String {
        "\(id)[\(label),\(boss?.answer ?? "nil"),\(parts.map(\.answer).joined(separator: ";"))]"
    }
}

extension Plan.Kind {
    /// The type of the models.
    var type: any PlannedModel.Type {
        switch self {
        case .person: Person.self
        case .small: SmallProfile.self
        case .full: FullProfile.self
        case .letter: Letter.self
        case .shelf: Shelf.self
        case .branch: Branch.self
        }
    }
}
