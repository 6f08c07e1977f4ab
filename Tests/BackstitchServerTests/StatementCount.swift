import Backstitch
import BackstitchSQLite
import BackstitchSupport
import TestSupport

@testable import BackstitchServer

/// Counts the statements of a server's writer. A server in memory has only one connection, so its readers' statements
/// count too.
final class StatementCount: Sendable {
    private let statements = Locked<[String]>([])

    /// Begins to count.
    init(_ server: ZoneServer) async throws {
        guard let service = server.state.withLock({ $0.service }) else { throw TestFailure("the server does not run") }
        try await service.context.storage.write { [statements] writing in
            (writing.connection as? SQLiteConnection)?.trace { text in
                statements.withLock { $0.append(text) }
            }
        }
    }

    /// The statements since the last call, in their order.
    func takeAll() -> [String] {
        statements.withLock { statements in
            defer { statements = [] }
            return statements
        }
    }

    /// How many statements there were, or those with some text in them, since the last call.
    func take(_ text: String = "") -> Int {
        statements.withLock { statements in
            defer { statements = [] }
            return statements.count { text.isEmpty || $0.contains(text) }
        }
    }
}
