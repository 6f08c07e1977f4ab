import Backstitch
import BackstitchPostgreSQL
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import Foundation
import Logging
import TestSupport
import Testing

@Suite("a server never has a plaintext of encrypted fields", .serialized)
struct OutsideSecrecyTests {
    private static let numbers: (large: Int64, ratio: Double, date: Int64) = (
        8_123_456_789_012_345, 0.987_654_321_012_345_6, 1_987_654_321_123
    )
    private static let token = "7C1F6E52-9B0D-4A36-8E21-5D4C3B2A1908"
    private static let price = "7654321.123456789"
    private static let bytes = Data("ciphered blob \u{1}\u{2}\u{3} canary-8842".utf8)
    private static let asset = Data((0..<200_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) })
    private static let texts = ["canary-text-4711-schwein", "canary-other-0815-Grüße"]
    /// Sent in plain, so that the search is known to find.
    private static let control = "canary-control-1234-plain"

    private static var secrets: [(name: String, forms: [Data])] {
        func number(_ bits: UInt64, _ text: String) -> [Data] {
            [Data(bits.littleEndianBytes), Data(bits.bigEndianBytes)].flatMap(OutsideSearch.forms)
                + OutsideSearch.forms(of: Data(text.utf8))
        }
        let uuid = Data(withUnsafeBytes(of: UUID(uuidString: token)?.uuid) { Array($0.prefix(16)) })
        return texts.map { ($0, OutsideSearch.forms(of: Data($0.utf8))) } + [
            ("large", number(UInt64(bitPattern: numbers.large), "\(numbers.large)")),
            ("ratio", number(numbers.ratio.bitPattern, "\(numbers.ratio)")),
            ("date", number(UInt64(bitPattern: numbers.date), "\(numbers.date)")),
            ("price", OutsideSearch.forms(of: Data(price.utf8))), ("bytes", OutsideSearch.forms(of: bytes)),
            (
                "token",
                OutsideSearch.forms(of: uuid) + OutsideSearch.forms(of: Data(token.utf8))
                    + OutsideSearch.forms(of: Data(token.lowercased().utf8))
            ),
            (
                "asset",
                OutsideSearch.forms(of: asset[1_000..<1_032]) + OutsideSearch.forms(of: asset[150_000..<150_032])
            ),
        ]
    }

    private func expectSecrecy(
        _ storage: ZoneServerConfiguration.Storage, _ folders: [URL], beforeLooking: () throws -> Void = {}
    ) async throws {
        let lines = Locked<[String]>([])
        try await SyncWorld.run(configure: {
            $0.storage = storage
            $0.logsRequests = true
            $0.logger = Logger(label: "test") { _ in TraceLog(lines: lines) }
            $0.logger.logLevel = .trace
        }) { world in
            let phone = try world.vault(try TestKeys("k1")), desk = try world.vault(try TestKeys("k1"))
            let first = try await phone.addSecret([
                "text": .string(Self.texts[0]), "large": .int(Self.numbers.large), "ratio": .double(Self.numbers.ratio),
                "born": .date(Date(milliseconds: Self.numbers.date)), "bytes": .data(Self.bytes),
                "token": .uuid(try #require(UUID(uuidString: Self.token))), "scan": .data(Self.asset),
                "price": .decimal(try #require(Decimal(string: Self.price))), "label": .string(Self.control),
            ])
            try await phone.sync.sync()
            try await desk.sync.sync()
            // A conflict, and errors of the server, whose reports may contain values.
            try await phone.set(first, ["other": .string(Self.texts[1])])
            try await desk.set(first, ["large": .int(Self.numbers.large), "text": .string(Self.texts[0] + "!")])
            try await phone.sync.sync()
            try await desk.sync.sync()
            try await phone.sync.sync()
            for device in [phone, desk] {
                let secret = try await device.secret(first)
                #expect(secret["text"] == .string(Self.texts[0] + "!") && secret["other"] == .string(Self.texts[1]))
                #expect(secret["scan"] == .data(Self.asset) && secret["ratio"] == .double(Self.numbers.ratio))
                #expect(secret["born"] == .date(Date(milliseconds: Self.numbers.date)))
            }
            try beforeLooking()
            // While it runs, so that the write-ahead log is there too.
            try OutsideSearch.expectNone(of: Self.secrets, but: Self.control, in: folders, log: lines)
        }
    }

    @Test("with SQLite: database, write-ahead log, assets and log at trace level")
    func sqlite() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: ObjectIDGenerator().next().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await expectSecrecy(.directory(folder), [folder])
    }

    @Test("with PostgreSQL: its whole data directory, its log of all statements, assets and log at trace level")
    func postgreSQL() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: ObjectIDGenerator().next().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await onThread {
            try PostgresServer { try $0.configure(["log_statement = 'all'", "log_parameter_max_length = -1"]) }
        }
        defer { server.stop() }
        try await expectSecrecy(
            .database(.postgreSQL(server.url, options: [.postgresPoolSize: 2]), assets: folder),
            [server.folder, folder], beforeLooking: { _ = try server.sql("CHECKPOINT") })
    }
}
