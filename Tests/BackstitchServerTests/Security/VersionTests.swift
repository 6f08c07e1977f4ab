import BackstitchSQLite
import BackstitchSupport
import BackstitchTestKit
import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("versions of libraries") struct VersionTests {
    @Test("a server on a SQLite that can damage files says so when it opens one")
    func sqlite() async throws {
        let lines = Locked<[String]>([])
        try await withFolder { folder in
            try await withServer({
                $0.storage = .directory(folder)
                $0.logger = Logger(label: "test") { _ in LineLog(lines: lines) }
                $0.logger.logLevel = .notice
            }) { _, _ in }
        }
        let isOld = SQLiteTables.version.compare("3.51.3", options: .numeric) == .orderedAscending
        let warnings = lines.withLock { $0 }.filter { $0.contains("WAL-reset") }
        #expect(warnings.count == (isOld ? 1 : 0), "SQLite \(SQLiteTables.version): \(warnings)")
    }
}
