import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import BackstitchMacroExpansion

/// Checks what the macros make of a source.
func expectExpansion(
    _ source: String, _ expanded: String, diagnostics: [DiagnosticSpec] = [], fixed: String? = nil,
    applying fixIts: [String]? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
    let macros: [String: MacroSpec] = [
        "Entity": MacroSpec(type: EntityMacro.self, conformances: ["EntityObject"]),
        "Attribute": MacroSpec(type: AttributeMacro.self),
        "Relationship": MacroSpec(type: RelationshipMacro.self), "Transient": MacroSpec(type: TransientMacro.self),
    ]
    assertMacroExpansion(
        source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: macros, applyFixIts: fixIts,
        fixedSource: fixed, failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}

/// Checks the single diagnostic about a property in an entity's class, and the result of its fix.
func expectRefusal(
    _ property: String, _ message: String, line: Int = 2, column: Int, fixed: (title: String, property: String)? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let macros: [String: MacroSpec] = [
        "Attribute": MacroSpec(type: AttributeMacro.self), "Relationship": MacroSpec(type: RelationshipMacro.self),
    ]
    func source(_ property: String) -> String { "@Entity class Note: ManagedObject {\n    \(property)\n}" }
    let bare = property.firstRange(of: #/(static|var|let) /#).map { String(property[$0.lowerBound...]) } ?? property
    assertMacroExpansion(
        source(property), expandedSource: source(bare),
        diagnostics: [
            DiagnosticSpec(
                message: message, line: line, column: column, fixIts: fixed.map { [FixItSpec(message: $0.title)] } ?? []
            )
        ],
        macroSpecs: macros, fixedSource: fixed.map { source($0.property) },
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}
