import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchPostgreSQL

@Suite("replies of a hostile server")
struct HostileServerTests {
    private static let schema = TestDatabase.newSchema()

    @Test("a reply that was changed at any step is an error or another value, and never a crash or a wait")
    func mutated() async throws {
        let seed = SeededGenerator.seed()
        let rounds = Effort.size("REPLIES", usual: 1_000, whole: 6_000)
        try await onThread {
            let store = try TestDatabase.store(
                schema: Self.schema, url: PostgresServer.shared.get().url, options: [.postgresPollInterval: 0],
                keepsOutbox: true)
            defer { try? store.close() }
            try Self.fill(store)
            let server = try RecordedServer(of: PostgresServer.shared.get())
            defer { server.stop() }
            let request = try store.tags(["written"])
            try Self.converse(with: server, store.configuration.model, request, timeout: 9)
            let recording = server.recording
            #expect(recording.count > 8)
            // The recording is enough to play the conversation again.
            server.play(recording)
            try Self.converse(with: server, store.configuration.model, request, timeout: 9)
            var random = SeededGenerator(seed: seed), failures = 0, kinds: [PostgreSQLFailure.Kind: Int] = [:]
            for round in 0..<rounds {
                server.play(Self.mutated(recording, round % recording.count, &random))
                let start = ContinuousClock.now
                do { try Self.converse(with: server, store.configuration.model, request) } catch let failure
                    as PostgreSQLFailure
                {
                    failures += 1
                    kinds[failure.kind, default: 0] += 1
                } catch {
                    #expect(error is BackstitchError, "seed \(seed), round \(round): \(error)")
                    failures += 1
                }
                #expect(start.duration(to: .now) < .seconds(10), "seed \(seed), round \(round)")
            }
            #expect(failures > rounds / 2)
            #expect(kinds.keys.contains(.malformed) && kinds.keys.contains(.lost), "\(kinds)")
            print(
                "counted: \(rounds) changed replies of PostgreSQL at \(recording.count) steps, \(failures) errors, seed \(seed)"
            )
        }
    }

    /// Rows of every type.
    private static func fill(_ store: PostgreSQLStore) throws {
        let entity = try store.configuration.model.requireEntity(named: "AllTypes")
        var builder = RowBatchBuilder(entity: entity)
        for row in 0..<6 {
            builder.beginRow(key: store.configuration.generator.next(), version: 1)
            for column in entity.columns { builder.append(row == 5 ? .null : value(of: column, row)) }
        }
        var request = try store.tags(["a", "naïve", ""])
        request.inserts.append(builder.finish())
        _ = try store.save(request)
    }

    private static func value(of column: ResolvedProperty, _ row: Int) -> Value {
        switch column.attribute?.type {
        case .integer16, .integer32, .integer64: .int(Int64(row) - 2)
        case .decimal: .decimal(Decimal(string: "-\(row)12345678.00\(row)1") ?? 0)
        case .double, .float: .double(Double(row) / 3)
        case .string: .string("text \(row)")
        case .boolean: .bool(row % 2 == 0)
        case .date: .date(Date(timeIntervalSince1970: Double(row)))
        case .uuid: .uuid(UUID())
        case .uri: .uri(URL(filePath: "/\(row)"))
        case .binary where column.attribute?.allowsExternalStorage == false: .data(Data([1, 2, 3]))
        case .transformable: .data(Data("{}".utf8))
        default: .null
        }
    }

    /// Everything that a connection does: opening, reading rows, histories and cursors, and writing.
    ///
    /// - Parameter timeout: Seconds for each answer, in one digit. The recording requires messages of equal length.
    private static func converse(
        with server: RecordedServer, _ model: ResolvedModel, _ request: SaveChangesRequest, timeout: Double = 1
    ) throws {
        let options = try PostgreSQLOptions(
            url: URL(string: "postgres://backstitch:secret@/postgres?host=\(server.folder.path)"),
            options: StoreOptions(
                [
                    .postgresSchema: schema, .postgresConnectTimeout: max(5, timeout),
                    .postgresStatementTimeout: timeout,
                ],
                specifications: PostgreSQLStore.optionSpecifications(for: [:])))
        let connection = try PostgreSQLPool(options, name: "a stranger").makeConnection()
        defer { connection.link.close() }
        _ = try StoreIdentity(connection, schema: schema)
        let reader = RowReader(connection, statements: ModelStatements(model, dialect: .postgreSQL))
        let entities = try ["AllTypes", "Tag"].map(model.requireEntity(named:))
        for entity in entities {
            read(try reader.rows(StoreFetchRequest(entity: entity)))
            _ = try reader.keys(StoreFetchRequest(entity: entity))
            _ = try reader.count(StoreFetchRequest(entity: entity))
        }
        let history = HistoryReader(connection)
        _ = try history.changes(after: 0, through: history.lastNumber(), except: [])
        _ = try history.transactions(after: 0, limit: 10)
        try connection.begin(.snapshot)
        let statement = try FetchStatements(ModelStatements(model, dialect: .postgreSQL)).rows(
            StoreFetchRequest(entity: entities[0]))
        try connection.forEachBatch(of: statement, entity: entities[0], size: 2) { read($0) }
        connection.rollback()
        try connection.begin(.writing)
        _ = try SaveWriter(
            connection, statements: ModelStatements(model, dialect: .postgreSQL), keepsOutbox: true
        )
        .write(request, timestamp: 0, token: request.inserts[0].keys[0])
        // Undone, so that it can be written each time.
        connection.rollback()
    }

    private static func read(_ rows: RowBatch) {
        for row in 0..<rows.count { _ = "\(rows.values(at: row)) \(rows.objectID(at: row))" }
    }

    /// The conversation up to a step with a changed reply. Now and then the following replies are sent at once.
    private static func mutated(
        _ steps: [RecordedServer.Step], _ index: Int, _ random: inout SeededGenerator
    ) -> [RecordedServer.Step] {
        var reply = steps[index].reply
        for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&reply, &random) }
        if Int.random(in: 0..<4, using: &random) == 0 { reply += steps[(index + 1)...].flatMap(\.reply) }
        return steps[..<index] + [RecordedServer.Step(heard: steps[index].heard, reply: reply)]
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = bytes.indices.randomElement(using: &random) ?? 0
        let few = place..<min(bytes.count, place + Int.random(in: 1...8, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.removeSubrange(few)
        case 3: bytes.insert(contentsOf: bytes[few], at: place)
        case 4: bytes.removeSubrange(place...)
        case 5: for index in few { bytes[index] = UInt8.random(in: 0...255, using: &random) }
        default: mutateMessage(&bytes, &random)
        }
    }

    /// Changes the type or a length of one of the messages: of itself, or, of a row, of its count of columns or a
    /// value.
    private static func mutateMessage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        var starts: [Int] = [], place = 0
        while place + 5 <= bytes.count {
            starts.append(place)
            let length = bytes[(place + 1)...(place + 4)].reduce(0) { $0 << 8 | Int($1) }
            if length < 4 { break }
            place += 1 + length
        }
        guard let start = starts.randomElement(using: &random) else { return }
        if Bool.random(using: &random) {
            bytes[start] = "ACDEGHIKNRSTVWZcnst123vd".utf8.randomElement(using: &random) ?? 0
            return
        }
        let field = start + ([1, 5, 7, 11].randomElement(using: &random) ?? 1)
        let value: UInt32 =
            [0, 1, 3, 4, 5, 15, 17, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
            .randomElement(using: &random) ?? 0
        for (offset, shift) in [24, 16, 8, 0].enumerated() where field + offset < bytes.count {
            bytes[field + offset] = UInt8(truncatingIfNeeded: value >> UInt32(shift))
        }
    }
}
