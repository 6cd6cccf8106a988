public import GroveModel

extension Trial {
    /// Checks that `condition` holds; `sentence` says what was expected and what came.
    public func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
        countCheck()
        guard condition else { throw CheckFailure(sentence()) }
    }

    /// Checks that `value` is `expected`; `what` names the value.
    public func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
        try expect(value == expected, "\(what): expected \(brief(expected)), got \(brief(value)).")
    }

    /// Checks that `read` found something, and returns it.
    @discardableResult
    public func expectHit<Value>(_ read: CacheRead<Value>, _ what: String) throws -> Value {
        countCheck()
        switch read {
        case .hit(let value): return value
        case .miss(let miss): throw CheckFailure("\(what): expected a hit, got a miss (\(brief(miss))).")
        }
    }

    /// Checks that `read` found exactly `expected`.
    public func expectHit<Value: Equatable>(_ read: CacheRead<Value>, _ expected: Value, _ what: String) throws {
        try expectEqual(try expectHit(read, what), expected, what)
    }

    /// Checks that `read` is a miss for `reason`, and that it names `identifier`.
    public func expectMiss<Value>(
        _ read: CacheRead<Value>, _ reason: CacheMiss.Reason? = nil, _ identifier: ModelIdentifier? = nil,
        _ what: String
    ) throws {
        countCheck()
        switch read {
        case .hit(let value): throw CheckFailure("\(what): expected a miss, got the value \(brief(value)).")
        case .miss(let miss):
            if let reason, miss.reason != reason {
                throw CheckFailure("\(what): expected a miss with reason \(reason), got \(brief(miss)).")
            }
            if let identifier, miss.identifier != identifier {
                throw CheckFailure("\(what): expected a miss that names \(identifier), got \(brief(miss)).")
            }
        }
    }

    /// Checks that `call` throws a ``CacheError`` with one of `codes`, and returns it.
    @discardableResult
    public func expectError<Value>(
        _ codes: CacheError.Code..., from what: String, _ call: () throws -> Value
    ) throws -> CacheError {
        countCheck()
        let wanted = codes.map(\.description).joined(separator: " or ")
        let value: Value
        do {
            value = try call()
        } catch let error as CacheError {
            if codes.contains(error.code) { return error }
            throw CheckFailure("\(what): expected the error \(wanted), got \(error).")
        }
        throw CheckFailure("\(what): expected the error \(wanted), got \(brief(value)).")
    }

    /// Checks that `call` either returns a value that `isRight` accepts, or throws a ``CacheError``.
    public func expectRightOrTyped<Value>(
        _ what: String, _ call: () throws -> Value, _ isRight: (Value) -> Bool
    ) throws {
        countCheck()
        do {
            let value = try call()
            guard isRight(value) else {
                throw CheckFailure("\(what): expected the right value or a typed error, got \(brief(value)).")
            }
        } catch is CacheError {
            // A typed error is what such a call may end in.
        }
    }
}

/// `value` as a failure prints it, cut where it would fill the screen.
func brief(_ value: some Any) -> String {
    let text = String(describing: value)
    guard text.unicodeScalars.count > 240 else { return text }
    return "\(String(text.unicodeScalars.prefix(200)))… (\(text.utf8.count) bytes)"
}
