import SwiftDiagnostics
import SwiftSyntax

/// A fault at a macro's use: its place, a message, and the possible corrections.
struct MacroProblem: Error {
    /// The node at which the compiler shows the message.
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
    /// Replaces a node by another, and keeps the white space of the old one.
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

    /// Replaces a node by another, with the white space of the new one.
    static func replaceExactly(_ message: String, _ node: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
        FixIt(
            message: ChangeMessage(message: message), changes: [.replace(oldNode: Syntax(node), newNode: Syntax(new))])
    }
}
