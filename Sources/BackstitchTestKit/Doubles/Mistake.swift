import Backstitch
import BackstitchSupport
package import Logging

/// A mistake of a newcomer to the project, and the required words of the message: the fault, and the remedy.
package struct Mistake: Sendable, CustomStringConvertible {
    /// The place of the message.
    private enum Place: Sendable { case error, log }

    /// The name of the mistake.
    package let description: String
    private let place: Place
    private let words: [String]
    private let code: @Sendable (Logger) async throws -> Void

    /// A mistake that is reported by an error, at once or by the next request.
    package init(_ name: String, throws words: String..., when code: @escaping @Sendable () async throws -> Void) {
        description = name
        place = .error
        self.words = words
        self.code = { _ in try await code() }
    }

    /// A mistake that cannot be reported by an error, and is reported in the log.
    package init(_ name: String, logs words: String..., when code: @escaping @Sendable (Logger) async throws -> Void) {
        description = name
        place = .log
        self.words = words
        self.code = code
    }

    /// Returns the flaw of the message about the mistake; nil when there is none.
    package func flaw() async -> String? {
        let lines = Locked<[String]>([])
        let logger = Logger(label: "mistake") { _ in LineLog(lines: lines) }
        var thrown: String?
        do { try await OnceLog.$current.withValue(OnceLog(logger)) { try await code(logger) } } catch {
            thrown = (error as? BackstitchError)?.message ?? "\(error)"
        }
        if place == .log, let thrown { return "it was thrown, where it should be logged: \(thrown)" }
        let said = place == .log ? lines.withLock { $0.joined(separator: "\n") } : thrown
        guard let said, !said.isEmpty else { return "nothing was said of it" }
        let missing = words.filter { !said.contains($0) }
        return missing.isEmpty ? nil : "\(missing) is missing in: \(said)"
    }
}
