import SwiftDiagnostics
import SwiftSyntax

/// Something wrong with what a macro is attached to: where, what, and how it can be put right.
struct MacroProblem: Error {
    let node: Syntax
    let message: String
    let severity: DiagnosticSeverity
    let fixIts: [FixIt]

    init(
        _ node: some SyntaxProtocol, _ message: String, severity: DiagnosticSeverity = .error, fixIts: [FixIt] = []
    ) {
        self.node = Syntax(node)
        self.message = message
        self.severity = severity
        self.fixIts = fixIts
    }

    var diagnostic: Diagnostic {
        Diagnostic(node: node, message: ProblemMessage(message: message, severity: severity), fixIts: fixIts)
    }
}

private struct ProblemMessage: DiagnosticMessage {
    let message: String
    let severity: DiagnosticSeverity
    var diagnosticID: MessageID { MessageID(domain: "Backstitch", id: "macro") }
}

private struct ChangeMessage: FixItMessage {
    let message: String
    var fixItID: MessageID { MessageID(domain: "Backstitch", id: "change") }
}

extension FixIt {
    /// Puts a node in the place of another.
    static func replace(_ message: String, _ node: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
        FixIt(
            message: ChangeMessage(message: message),
            changes: [
                .replace(
                    oldNode: Syntax(node),
                    newNode: Syntax(new).with(\.leadingTrivia, node.leadingTrivia).with(
                        \.trailingTrivia, node.trailingTrivia))
            ])
    }

    /// Puts a node in the place of another, with the white space that it brings.
    static func replaceExactly(_ message: String, _ node: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
        FixIt(
            message: ChangeMessage(message: message), changes: [.replace(oldNode: Syntax(node), newNode: Syntax(new))])
    }
}
