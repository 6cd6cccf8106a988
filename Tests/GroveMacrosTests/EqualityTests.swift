#if Macros
    import GroveMacros
    import Testing

    @Cacheable
    struct EqualStruct {
        let value: Int
        static func == (left: EqualStruct, right: EqualStruct) -> Bool { true }
    }

    @Cacheable
    final class EqualClass {
        let value: Int
        init(value: Int) { self.value = value }
        static func == (left: EqualClass, right: EqualClass) -> Bool { true }
    }

    @Cacheable
    enum EqualEnum: Hashable {
        case number(Int)
        static func == (left: EqualEnum, right: EqualEnum) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    @Cacheable
    enum EqualMood: String {
        case calm, cross
        static func == (left: EqualMood, right: EqualMood) -> Bool { true }
    }

    @Cacheable
    struct EqualInExtension { let value: Int }

    extension EqualInExtension: Equatable {
        static func == (left: EqualInExtension, right: EqualInExtension) -> Bool { true }
    }

    struct Place: Codable, Hashable {
        let latitude: Double
        let name: String
    }

    /// A value whose coding leaves out what its equality looks at.
    struct Offer: Codable, Equatable {
        let price: Double
        var isSelected = false
        enum CodingKeys: CodingKey { case price }
    }

    enum Reading: Codable, Hashable {
        case none
        case degrees(Double, at: Place)
    }

    @Cacheable
    struct Measure {
        var id = 1
        var double = 0.0
        var float: Float = 0
        var optional: Double? = nil
        var array: [Double] = []
        var nested: [[Double?]] = []
        var byName: [String: Float] = [:]
        var set: Set<Double> = []
        var byNumber: [Double: Int] = [:]
        var place: Place? = nil
        var places: [String: [Place]] = [:]
        var reading: Reading = .none
        var offer: Offer? = nil
        var part: MeasurePart? = nil
        var parts: [MeasurePart] = []
        var side: MeasureSide = .none
        @CacheIgnored var seen: Double = 0
    }

    extension Measure {
        init(_ change: (inout Measure) -> Void) {
            self.init()
            change(&self)
        }
    }

    /// A model without an identifier that declares its conformances itself.
    @Cacheable
    struct MeasurePart: Hashable { let value: Double }

    @Cacheable
    enum MeasureSide: Equatable {
        case none
        case value(Double, unit: String)
    }

    @Cacheable
    final class MeasureClass: Equatable {
        let value: Double
        init(value: Double) { self.value = value }
    }

    private struct CodableMeasure: CodableModel, Equatable {
        let id: Int
        let values: [Double]
        let place: Place?
        var modelIdentifier: ModelIdentifier? { "CodableMeasure:\(id)" }
    }

    @Suite("Equality") struct EqualityTests {
        private func areEqual<Value: Equatable>(_ left: Value, _ right: Value) -> Bool { left == right }

        private func expectEqual<M: Model & Equatable>(_ left: M, _ right: M, _ isEqual: Bool = true) {
            #expect(areEqual(left, right) == isEqual)
            #expect(left.isEqual(to: right) == isEqual)
            #expect(areEqual([left], [right]) == isEqual)
        }

        @Test("A type's own == counts, wherever it is compared")
        func own() {
            expectEqual(EqualStruct(value: 1), EqualStruct(value: 2))
            expectEqual(EqualClass(value: 1), EqualClass(value: 2))
            expectEqual(EqualEnum.number(1), EqualEnum.number(2))
            #expect(areEqual(EqualMood.calm, .cross))
            expectEqual(EqualInExtension(value: 1), EqualInExtension(value: 2))
        }

        private static let nan = Double.nan
        private static let other = Double(bitPattern: Double.nan.bitPattern ^ 1)
        private static let place = Place(latitude: .nan, name: "north")

        @Test("A NaN is equal to itself, wherever it is")
        func nan() {
            let changes: [(inout Measure) -> Void] = [
                { $0.double = .nan }, { $0.float = .nan }, { $0.optional = .nan }, { $0.array = [1, .nan] },
                { $0.nested = [[], [nil, .nan]] }, { $0.byName = ["a": .nan, "b": 1] }, { $0.set = [1, .nan] },
                { $0.byNumber = [.nan: 1, 2: 3] }, { $0.place = Self.place }, { $0.places = ["a": [Self.place]] },
                { $0.reading = .degrees(1, at: Self.place) }, { $0.part = MeasurePart(value: .nan) },
                { $0.parts = [MeasurePart(value: 1), MeasurePart(value: .nan)] },
                { $0.side = .value(.nan, unit: "C") }, { $0.seen = .nan },
            ]
            for change in changes {
                expectEqual(Measure(change), Measure(change))
                expectEqual(Measure(change), Measure(), false)
            }
            expectEqual(MeasurePart(value: .nan), MeasurePart(value: .nan))
            expectEqual(MeasureClass(value: .nan), MeasureClass(value: .nan))
            expectEqual(MeasureSide.value(.nan, unit: "C"), .value(.nan, unit: "F"), false)
        }

        @Test("NaNs are told apart by their bits, as a record has them; 0 and -0 are equal, as == says")
        func bits() {
            expectEqual(Measure { $0.double = Self.nan }, Measure { $0.double = Self.other }, false)
            expectEqual(Measure { $0.array = [Self.nan] }, Measure { $0.array = [Self.other] }, false)
            expectEqual(Measure { $0.array = [0] }, Measure { $0.array = [-0.0] })
        }

        @Test("What the coding of a value leaves out is compared all the same")
        func leftOut() {
            expectEqual(
                Measure { $0.offer = Offer(price: 1) }, Measure { $0.offer = Offer(price: 1, isSelected: true) },
                false)
            expectEqual(
                Measure { $0.offer = Offer(price: .nan) }, Measure { $0.offer = Offer(price: .nan) })
        }

        @Test("A CodableModel with a NaN is the same version as itself")
        func codable() {
            func measure(_ value: Double) -> CodableMeasure {
                CodableMeasure(id: 1, values: [value], place: Self.place)
            }
            #expect(measure(1).isEqual(to: measure(1)))
            #expect(measure(.nan).isEqual(to: measure(.nan)))
            #expect(!measure(1).isEqual(to: measure(2)))
        }
    }
#endif
