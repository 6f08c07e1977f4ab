import Foundation
import SwiftDiagnostics
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import BackstitchMacroExpansion

@Suite("a stored property of an @Entity class without a macro")
struct ForgottenPropertyTests {
    @Test(
        "is a warning, with a fix for either meaning",
        arguments: [
            ("var count: Int = 0", "count", "@Attribute", "@Attribute"),
            ("var count = 0", "count", "@Attribute", "@Attribute"),
            ("var title: String?", "title", "@Attribute", "@Attribute"),
            ("private var note: String { didSet { print(note) } }", "note", "@Attribute", "@Attribute"),
            ("var tags: Set<Tag>", "tags", "@Relationship", "@Relationship(inverse: \"<#inverse#>\")"),
            ("@MainActor var `default`: Int", "default", "@Attribute", "@Attribute"),
        ])
    func forgotten(property: String, name: String, macro: String, written: String) {
        let message =
            "\(name) is not saved: it has no \(macro), so it is not a part of the model; write \(macro) before it to save it, "
            + "or @Transient to keep it in memory only"
        let column = 5 + (property.components(separatedBy: "var ").first?.count ?? 0) + 4
        for (fixIt, prefix) in [("add @Transient", "@Transient"), ("add \(macro)", written)] {
            expectExpansion(
                source(property), expanded(property),
                diagnostics: [
                    DiagnosticSpec(
                        message: message, line: 2, column: column, severity: .warning,
                        fixIts: [FixItSpec(message: "add @Transient"), FixItSpec(message: "add \(macro)")])
                ],
                fixed: source("\(prefix) \(property)"), applying: [fixIt])
        }
    }

    @Test(
        "is no warning where it is meant, computed, constant, or handled by another attribute",
        arguments: [
            "static var count = 0", "lazy var words = title.split()", "weak var editor: Editor?", "let created = 3",
            "var isLong: Bool { true }", "var size: Int { get { 3 } set { } }", "@Published var isShown = false",
        ])
    func meant(property: String) {
        expectExpansion(source(property), expanded(property))
    }

    @Test("is no warning with @Transient, which changes nothing")
    func transient() {
        expectExpansion(source("@Transient var isShown = false"), expanded("var isShown = false"))
    }

    @Test(
        "with @NSManaged is refused, with a fix",
        arguments: [
            ("@NSManaged var title: String?", "@Attribute", "@Attribute"),
            ("@NSManaged public var tags: Set<Tag>", "@Relationship", "@Relationship(inverse: \"<#inverse#>\")"),
        ])
    func managed(property: String, macro: String, written: String) {
        expectExpansion(
            source(property), expanded(property),
            diagnostics: [
                DiagnosticSpec(
                    message: "@NSManaged is Core Data's, and makes nothing here: write \(macro)", line: 2, column: 5,
                    fixIts: [FixItSpec(message: "write \(macro)")])
            ],
            fixed: source(property.replacing("@NSManaged", with: written)))
    }

    @Test("is refused when it is to be in the model and not")
    func both() {
        assertMacroExpansion(
            "@Transient @Attribute var title: String", expandedSource: "@Attribute var title: String",
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "a property is @Transient or @Attribute: the first is not saved, the second is part of the model",
                    line: 1, column: 1)
            ],
            macroSpecs: ["Transient": MacroSpec(type: TransientMacro.self)],
            failureHandler: { Issue.record("\($0.message)") })
    }

    private func source(_ property: String) -> String { "@Entity class Note: ManagedObject {\n    \(property)\n}" }

    private func expanded(_ property: String) -> String {
        """
        class Note: ManagedObject {
            \(property)

            /// The name of the entity in the model.
            nonisolated static let entityName: Swift.String = "Note"

            /// The entity, for a model.
            nonisolated static let entityDescription = Backstitch.EntityDescription(
                entityName, class: Note.self,
                [])

            /// The key paths of the properties, for `#Predicate`.
            nonisolated static let keyPathNames = BackstitchMacros.KeyPathNames(
                [])
        }

        extension Note: nonisolated BackstitchMacros.EntityObject {
        }
        """
    }
}
