#if Macros
    import SwiftDiagnostics
    import SwiftSyntax

    /// The reason for which `@Cacheable` refuses a declaration, in words that say what to do.
    struct Refusal: DiagnosticMessage {
        let identifier: String
        let message: String
        let severity = DiagnosticSeverity.error

        var diagnosticID: MessageID { MessageID(domain: "GroveMacros", id: identifier) }

        private init(_ identifier: String, _ message: String) {
            self.identifier = identifier
            self.message = message
        }
    }

    /// The effect of a fix-it, in words.
    struct Remedy: FixItMessage {
        let message: String

        init(_ message: String) { self.message = message }

        var fixItID: MessageID { MessageID(domain: "GroveMacros", id: message) }
    }

    extension Diagnostic {
        init(node: some SyntaxProtocol, _ refusal: Refusal, fixIts: [FixIt] = []) {
            self.init(node: Syntax(node), message: refusal, fixIts: fixIts)
        }
    }

    // MARK: Types

    extension Refusal {
        static func notFinal(_ name: String) -> Refusal {
            Refusal("notFinal", "'\(name)' can have subclasses, which would share its records; make it final")
        }

        static func notServed(_ kind: String) -> Refusal {
            Refusal(
                "notServed",
                "@Cacheable serves structs, final classes and enums; \(kind) cannot be a model, which is an immutable value"
            )
        }

        static let onExtension = Refusal(
            "onExtension", "write @Cacheable before the type itself: an extension does not show its stored properties")

        static func generic(_ name: String) -> Refusal {
            Refusal(
                "generic",
                "'\(name)' is generic, or stands inside a type that is: records of all its specialisations would have one name; make a type of its own for each, or conform to CacheableModel by hand"
            )
        }

        static func inaccessible(_ name: String) -> Refusal {
            Refusal(
                "inaccessible",
                "'\(name)' is private inside another type, or what it stands in is, so that the extension written beside it cannot name it; make it fileprivate"
            )
        }

        static func noCases(_ name: String) -> Refusal {
            Refusal("noCases", "the enum '\(name)' has no cases, so it has no values to cache")
        }

        static let character = Refusal(
            "character", "a Character has no coding, so an enum cannot be stored by one; make its raw values Strings")

        static func taken(_ name: String, _ kind: String) -> Refusal {
            Refusal("taken", "a model's type has a static property '\(name)'; give the \(kind) another name")
        }

        static func argument(_ label: String) -> Refusal {
            Refusal("argument", "'\(label)' is a string literal without interpolation, and not empty")
        }

        static func noSuchID(_ name: String, _ known: [String]) -> Refusal {
            let choice = known.isEmpty ? "" : "; there are \(known.map { "'\($0)'" }.joined(separator: ", "))"
            return Refusal(
                "noSuchID",
                "no property '\(name)' in the type's own body can be its identifier\(choice); declare one, or 'modelIdentifier' itself"
            )
        }

        static func duplicate(_ name: String) -> Refusal {
            Refusal("duplicate", "two fields of the record are called '\(name)'; give one another name")
        }

        static let conditional = Refusal(
            "conditional",
            "a stored property or a case inside #if cannot be seen here; move it out, or conform to CacheableModel by hand"
        )
    }

    // MARK: Properties

    extension Refusal {
        static func missingType(_ name: String) -> Refusal {
            Refusal(
                "missingType",
                "write the type of '\(name)': the record is read by types, and here they are not inferred")
        }

        static func existential(_ name: String, _ type: String) -> Refusal {
            Refusal(
                "existential",
                "'\(name)' is of type '\(type)', and a record does not say which type to read back; make it an enum with a case for each type, marked @Cacheable too"
            )
        }

        static func tuple(_ name: String) -> Refusal {
            Refusal(
                "tuple", "'\(name)' is a tuple, which has no coding; make it a struct, Codable or marked @Cacheable")
        }

        static func closure(_ name: String) -> Refusal {
            Refusal(
                "closure",
                "'\(name)' is a function, which cannot be stored; give it a default value and mark it @CacheIgnored")
        }

        static func destructured(_ pattern: String) -> Refusal {
            Refusal("destructured", "declare the properties in '\(pattern)' one by one, each with its type")
        }

        static func lazy(_ name: String) -> Refusal {
            Refusal("lazy", "'\(name)' is lazy, and reading it would change the model; make it computed")
        }

        static func reference(_ name: String, _ keyword: String) -> Refusal {
            Refusal(
                "reference",
                "'\(name)' is \(keyword), and a model holds its children; drop '\(keyword)', or hold an identifier instead"
            )
        }

        static func wrapper(_ name: String, _ attribute: String) -> Refusal {
            Refusal(
                "wrapper",
                "'\(name)' is stored by its wrapper '@\(attribute)', which a record cannot see; drop the wrapper, or give the property a default value and mark it @CacheIgnored"
            )
        }

        static func noDefault(_ name: String) -> Refusal {
            Refusal("noDefault", "'\(name)' is left out of the record, so it needs a default value to be read with")
        }

        static func ignoredConstant(_ name: String) -> Refusal {
            Refusal("ignoredConstant", "'\(name)' is left out of the record, so a copy has to set it; make it a 'var'")
        }

        static func recursive(_ name: String, _ type: String) -> Refusal {
            Refusal(
                "recursive",
                "'\(name)' would hold a '\(type)' inside a '\(type)', and a struct cannot contain itself; make '\(type)' a final class, or hold it in an enum, '@Cacheable indirect enum \(type)Box { case value(\(type)) }'"
            )
        }

        static func noField(_ name: String) -> Refusal {
            Refusal(
                "noField",
                "'\(name)' is no field of the record, so it has no name there; drop @CacheField, or make it a 'var' without @CacheIgnored"
            )
        }

        static func oldName(_ old: String, _ field: String, _ other: String) -> Refusal {
            Refusal(
                "oldName",
                other == field
                    ? "'\(field)' already has the name '\(old)'; drop it from 'was:'"
                    : "a stored '\(old)' would be read as '\(field)' and as '\(other)'; drop it from 'was:'")
        }

        static func ignoredID(_ name: String) -> Refusal {
            Refusal("ignoredID", "'\(name)' identifies the model and stands in its record; drop @CacheIgnored")
        }

        static func notStored(_ attribute: String) -> Refusal {
            Refusal("notStored", "@\(attribute) marks a stored property of a @Cacheable type")
        }
    }
#endif
