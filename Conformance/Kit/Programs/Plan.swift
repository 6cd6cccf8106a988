/// A tree of a program, as its script writes it: a kind, a number that makes the identifier, a salt that makes the
/// content, and the children.
///
/// `shelf1=3(-,letter2=0(person4=7))` is shelf 1 with salt 3, no top letter, and one letter in its list.
struct Plan: Hashable, Sendable, CustomStringConvertible {
    /// The types of models that programs use.
    enum Kind: String, CaseIterable, Sendable {
        /// A leaf.
        case person
        /// A record that has another projection.
        case small
        /// The other projection.
        case full
        /// A required child: a person.
        case letter
        /// An optional child, a letter, and a list of letters.
        case shelf
        /// An optional child, a person, and a list of branches: so cycles can be written.
        case branch
    }

    var kind: Kind
    var number: Int
    var salt: Int
    /// The children in order; `nil` if an optional one is absent.
    var children: [Plan?] = []

    /// The identifier; both projections of a profile have one.
    var identifier: String { Plan.identifier(kind, number) }

    static func identifier(_ kind: Kind, _ number: Int) -> String {
        kind == .small || kind == .full ? "profile\(number)" : "\(kind.rawValue)\(number)"
    }

    var description: String {
        let head = "\(kind.rawValue)\(number)=\(salt)"
        guard !children.isEmpty else { return head }
        return head + "(" + children.map { $0?.description ?? "-" }.joined(separator: ",") + ")"
    }

    /// This tree and every tree in it, in pre-order.
    var preOrder: [Plan] { [self] + children.flatMap { $0?.preOrder ?? [] } }

    /// Trees that are smaller by one child, or simpler by one salt.
    var simpler: [Plan] {
        var found: [Plan] = []
        for index in children.indices {
            var smaller = self
            switch kind {
            case .shelf, .branch:
                if index > 0 {
                    smaller.children.remove(at: index)
                    found.append(smaller)
                } else if children[0] != nil {
                    smaller.children[0] = nil
                    found.append(smaller)
                }
            default: break
            }
            guard let child = children[index] else { continue }
            for simple in child.simpler {
                var changed = self
                changed.children[index] = simple
                found.append(changed)
            }
        }
        if salt > 0 {
            var plain = self
            plain.salt = 0
            found.append(plain)
        }
        return found
    }
}

extension Plan {
    /// Reads a whole text.
    init?(_ text: String) {
        var rest = Substring(text)
        guard let plan = Plan(reading: &rest), rest.isEmpty else { return nil }
        self = plan
    }

    private init?(reading text: inout Substring) {
        let word = text.prefix { $0.isLetter }
        guard let kind = Kind(rawValue: String(word)) else { return nil }
        text = text.dropFirst(word.count)
        guard let number = Plan.number(&text), text.popFirst() == "=", let salt = Plan.number(&text) else { return nil }
        var children: [Plan?] = []
        if text.first == "(" {
            repeat {
                text.removeFirst()
                if text.first == "-" {
                    text.removeFirst()
                    children.append(nil)
                } else {
                    guard let child = Plan(reading: &text) else { return nil }
                    children.append(child)
                }
            } while text.first == ","
            guard text.popFirst() == ")" else { return nil }
        }
        self.init(kind: kind, number: number, salt: salt, children: children)
        guard isWellFormed else { return nil }
    }

    /// Whether the children are of the kinds that the kind holds.
    private var isWellFormed: Bool {
        switch kind {
        case .person, .small, .full: children.isEmpty
        case .letter: children.count == 1 && children[0]?.kind == .person
        case .shelf:
            !children.isEmpty && children.dropFirst().allSatisfy { $0 != nil }
                && children.allSatisfy { $0 == nil || $0?.kind == .letter }
        case .branch:
            !children.isEmpty && (children[0] == nil || children[0]?.kind == .person)
                && children.dropFirst().allSatisfy { $0?.kind == .branch }
        }
    }

    private static func number(_ text: inout Substring) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        text = text.dropFirst(digits.count)
        return Int(digits)
    }
}

extension Plan {
    /// The greatest salt of a random tree.
    static let mostSalt = 5

    /// A random tree of `kind`.
    static func random(_ kind: Kind, depth: Int = 0, path: Set<Int> = [], using generator: inout SeededGenerator)
        -> Plan
    {
        var number = Int.random(in: 0..<4, using: &generator)
        var plan = Plan(kind: kind, number: number, salt: Int.random(in: 0...mostSalt, using: &generator))
        switch kind {
        case .person, .small, .full: break
        case .letter: plan.children = [random(.person, using: &generator)]
        case .shelf:
            plan.children = [Bool.random(using: &generator) ? random(.letter, using: &generator) : nil]
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                plan.children.append(random(.letter, using: &generator))
            }
        case .branch:
            // A node that holds itself cannot be a value; it can come to be by two writes.
            while path.contains(number) { number = (number + 1) % 4 }
            plan.number = number
            plan.children = [Bool.random(using: &generator) ? random(.person, using: &generator) : nil]
            guard depth < 3 else { break }
            for _ in 0..<Int.random(in: 0..<3, using: &generator) {
                plan.children.append(
                    random(.branch, depth: depth + 1, path: path.union([number]), using: &generator))
            }
        }
        return plan
    }
}
