package import GroveModel

extension Trial {
    /// Checks that `condition` holds; `sentence` says what was expected, and what the value was instead.
    package func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
        countCheck()
        guard condition else { throw CheckFailure(sentence()) }
    }

    /// Checks that `value` is `expected`; `what` names the value.
    package func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
        try expectNotForgotten(value, what)
        try expect(
            value == expected,
            {
                let (wanted, came) = briefly(expected, value)
                return "\(what): expected \(wanted), got \(came)."
            }())
    }

    /// Checks that a write reported exactly `expected` as changed, if the backend reports changes.
    func expectChanges(_ value: Set<ModelIdentifier>, _ expected: Set<ModelIdentifier>, _ what: String) throws {
        if hasTypedCalls { try expectEqual(value, expected, what) }
    }

    /// Ends the rule if `value` is `nil` or a miss, and the backend may have evicted the value.
    private func expectNotForgotten<Value>(_ value: Value, _ what: String) throws {
        guard backend.leniency.forgets else { return }
        let mirror = Mirror(reflecting: value)
        let isNothing = mirror.displayStyle == .optional && mirror.children.isEmpty
        guard isNothing || mirror.children.first?.label == "miss" else { return }
        countCheck()
        throw Tolerated(sentence: "\(what) was forgotten")
    }

    /// Checks that `read` is a hit, and returns its value.
    @discardableResult
    package func expectHit<Value>(_ read: CacheRead<Value>, _ what: String) throws -> Value {
        countCheck()
        switch read {
        case .hit(let value): return value
        case .miss(let miss):
            if backend.leniency.forgets, miss.reason == .absent { throw Tolerated(sentence: "\(what) was forgotten") }
            throw CheckFailure("\(what): expected a hit, got a miss (\(brief(miss))).")
        }
    }

    /// Checks that `read` is a hit with exactly `expected`.
    package func expectHit<Value: Equatable>(_ read: CacheRead<Value>, _ expected: Value, _ what: String) throws {
        try expectEqual(try expectHit(read, what), expected, what)
    }

    /// Checks that `read` is a miss with `reason` that names `identifier`; `nil` stands for any.
    package func expectMiss<Value>(
        _ read: CacheRead<Value>, _ reason: CacheMiss.Reason? = nil, _ identifier: ModelIdentifier? = nil,
        _ what: String
    ) throws {
        countCheck()
        switch read {
        case .hit(let value): throw CheckFailure("\(what): expected a miss, got the value \(brief(value)).")
        case .miss(let miss) where miss.reason == .unsaid: return
        case .miss(let miss):
            if backend.leniency.forgets, miss.reason == .absent { throw Tolerated(sentence: "\(what) was forgotten") }
            if let reason, miss.reason != reason {
                throw CheckFailure("\(what): expected a miss with reason \(reason), got \(brief(miss)).")
            }
            if let identifier, miss.identifier != identifier {
                throw CheckFailure("\(what): expected a miss that names \(identifier), got \(brief(miss)).")
            }
        }
    }

    /// Checks that `call` throws a ``CacheError`` with one of `codes`, and returns the error.
    @discardableResult
    package func expectError<Value>(
        _ codes: CacheError.Code..., from what: String, _ call: () throws -> Value
    ) throws -> CacheError {
        countCheck()
        let wanted = codes.map(\.description).joined(separator: " or ")
        let value: Value
        do {
            value = try call()
        } catch let error as CacheError {
            if codes.contains(error.code) { return error }
            if error.code == backend.leniency.failsWith { throw error }
            throw CheckFailure("\(what): expected the error \(wanted), got \(error).")
        }
        try expectNotForgotten(value, what)
        throw CheckFailure("\(what): expected the error \(wanted), got \(brief(value)).")
    }

    /// Checks that `call` either returns a value that `isRight` accepts, or throws a ``CacheError``.
    package func expectRightOrTyped<Value>(
        _ what: String, _ call: () throws -> Value, _ isRight: (Value) -> Bool
    ) throws {
        countCheck()
        do {
            let value = try call()
            guard isRight(value) else {
                try expectNotForgotten(value, what)
                throw CheckFailure("\(what): expected the right value or a typed error, got \(brief(value)).")
            }
        } catch is CacheError {
            // Such a call may end in a typed error.
        }
    }
}

/// `value` as a failure prints it, cut if it is longer than 240 characters.
func brief(_ value: some Any) -> String {
    let text = String(describing: value)
    guard text.unicodeScalars.count > 240 else { return text }
    return "\(String(text.unicodeScalars.prefix(200)))… (\(text.utf8.count) bytes)"
}

/// Two values that differ, as a failure prints them: long ones from shortly before the first difference.
func briefly(_ expected: some Any, _ came: some Any) -> (expected: String, came: String) {
    let (left, right) = (String(describing: expected), String(describing: came))
    let (wanted, got) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
    let same = zip(wanted, got).prefix { $0 == $1 }.count
    // The beginning shows the difference, or there is none to see.
    guard max(wanted.count, got.count) > 240, same > 120, same < max(wanted.count, got.count) else {
        return (brief(expected), brief(came))
    }
    func cut(_ text: [Unicode.Scalar]) -> String {
        var part = String.UnicodeScalarView()
        part.append(contentsOf: text[min(same - 60, text.count)..<min(same + 120, text.count)])
        return "…\(String(part))\(same + 120 < text.count ? "…" : "")"
    }
    return ("\(cut(wanted)) (the first \(same) characters are equal)", cut(got))
}
