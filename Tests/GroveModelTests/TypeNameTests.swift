import GroveModel
import Testing

@Suite("The names of types") struct TypeNameTests {
    @Test("The default is the qualified name without the module, and that of a type inside nothing its own")
    func defaults() {
        #expect(Top.recordName == "Top")
        #expect(Shop.Item.recordName == "Shop.Item")
        #expect(Shop.Item.projectionName == "Shop.Item")
        #expect(Feed.Item.recordName == "Feed.Item")
        #expect(Shop.Inner.Deep.recordName == "Shop.Inner.Deep")
        #expect(String.Late.recordName == "String.Late")
        #expect(Shop.recordOfPrivate == "Shop.Hidden.Item")
        #expect(Secret.Item.recordName == "Secret.Item")
    }

    @Test("Specialisations of a generic type, and types inside them, have different names")
    func generic() {
        #expect(Box<Int>.recordName == "Box<Int>")
        #expect(Box<Shop.Item>.recordName == "Box<Shop.Item>")
        #expect(Box<Feed.Item>.recordName == "Box<Feed.Item>")
        #expect(Box<[Secret.Item?]>.recordName == "Box<Array<Optional<Secret.Item>>>")
        #expect(Box<Int>.In.recordName == "Box<Int>.In")
        #expect(Box<Box<Feed.Item>.In>.In.recordName == "Box<Box<Feed.Item>.In>.In")
        #expect(Box<Int>.Only.recordName == "Box<Int>.Only")
        #expect(Box<(Shop.Item, String) -> any Model>.recordName == "Box<(Shop.Item, String) -> Model>")
    }

    @Test("A type inside a function is named without it, in every process alike")
    func local() {
        struct Local: SimpleModel, Equatable {
            struct In: SimpleModel, Equatable { var modelIdentifier: ModelIdentifier? { nil } }
            var modelIdentifier: ModelIdentifier? { nil }
        }
        #expect(Local.recordName == "TypeNameTests.Local")
        #expect(Local.In.recordName == "TypeNameTests.Local.In")
    }

    @Test("Every caller gets the name of its own type, whoever asks first")
    func concurrent() async {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    Shop.Item.recordName == "Shop.Item" && Feed.Item.recordName == "Feed.Item"
                        && Box<Shop.Inner.Deep>.projectionName == "Box<Shop.Inner.Deep>"
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}

private struct Top: SimpleModel, Equatable { var modelIdentifier: ModelIdentifier? { nil } }

private enum Shop {
    struct Item: SimpleModel, Equatable { var modelIdentifier: ModelIdentifier? { nil } }

    enum Inner {
        struct Deep: SimpleModel, Equatable { var modelIdentifier: ModelIdentifier? { nil } }
    }

    private enum Hidden {
        struct Item: SimpleModel, Equatable { var modelIdentifier: ModelIdentifier? { nil } }
    }

    static var recordOfPrivate: String { Hidden.Item.recordName }
}

private enum Feed {
    struct Item: SimpleModel, Equatable { var modelIdentifier: ModelIdentifier? { nil } }
}

private enum Secret {
    struct Item: SimpleModel, Equatable { var modelIdentifier: ModelIdentifier? { nil } }
}

extension String {
    fileprivate struct Late: SimpleModel, Equatable { var modelIdentifier: ModelIdentifier? { nil } }
}

private struct Box<Content>: SimpleModel, Equatable {
    struct In: SimpleModel, Equatable { var modelIdentifier: ModelIdentifier? { nil } }
    var modelIdentifier: ModelIdentifier? { nil }
}

extension Box where Content == Int {
    fileprivate struct Only: SimpleModel, Equatable { var modelIdentifier: ModelIdentifier? { nil } }
}
