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

    /// The parts of a list in CycloneDX's form that are looked at.
    private struct Inventory: Decodable {
        struct Component: Decodable {
            let name, version, purl: String
            let reference: String
            enum CodingKeys: String, CodingKey {
                case name, version, purl
                case reference = "bom-ref"
            }
        }

        let bomFormat, specVersion: String
        let components: [Component]
    }

    private struct Resolved: Decodable {
        struct Pin: Decodable {
            struct State: Decodable { let version: String? }
            let identity: String
            let state: State
        }

        let pins: [Pin]
    }

    @Test("the list of what is built in has each package in its version, and the SQLite that runs")
    func inventory() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let listed = try TestProcess(
            at: URL(filePath: "/usr/bin/env"), ["python3", root.appending(path: "scripts/sbom").path])
        let outcome = try await listed.ended()
        #expect(outcome.status == 0)
        let inventory = try JSONDecoder().decode(Inventory.self, from: Data(outcome.output.utf8))
        #expect(inventory.bomFormat == "CycloneDX" && inventory.specVersion == "1.6")
        let parts = Dictionary(inventory.components.map { ($0.reference, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(parts.count == inventory.components.count)
        let resolved = try JSONDecoder().decode(
            Resolved.self, from: Data(contentsOf: root.appending(path: "Package.resolved")))
        #expect(!resolved.pins.isEmpty)
        for pin in resolved.pins {
            let part = try #require(parts[pin.identity], "\(pin.identity) is missing")
            if let version = pin.state.version { #expect(part.version == version) }
            #expect(part.purl.hasPrefix("pkg:swift/github.com/") && part.purl.hasSuffix("@\(part.version)"))
        }
        let sqlite = try #require(parts["sqlite3"], "SQLite is missing")
        #expect(sqlite.version.hasPrefix(SQLiteTables.version), "\(sqlite.version)")
        #expect(parts["libpq"] != nil)
    }
}
