#if FUZZING

import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import GRDB

@testable import BackstitchSQLite

/// The cells of a damaged or foreign file: any value in any column of a row, of history and of the outbox.
final class CellTarget: FuzzTarget {
    private let store: SQLiteStore
    private let entity: ResolvedEntity
    private let outside: DatabaseQueue
    private let key: ObjectKey

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "store.sqlite")
        let clock = VirtualClock(milliseconds: 1_700_000_000_000)
        let model = try ResolvedModel(.journal)
        let configuration = StoreConfiguration(
            model: model, url: file,
            options: try StoreOptions([:], specifications: SQLiteStore.optionSpecifications(for: [:])), clock: clock,
            generator: ObjectIDGenerator(clock: clock, random: SeededGenerator(seed: 1)), keepsOutbox: true)
        store = try SQLiteStore(configuration)
        entity = try model.requireEntity(named: "AllTypes")
        key = configuration.generator.next()
        var builder = RowBatchBuilder(entity: entity)
        builder.beginRow(key: key, version: 1)
        for _ in entity.columns { builder.append(.null) }
        var request = SaveChangesRequest(author: "fuzz")
        request.inserts.append(builder.finish())
        _ = try store.save(request)
        let state = RecordState(objectID: ObjectID(entityName: entity.name, key: key), changeTag: "1")
        try store.writeJournal(author: "fuzz") { try $0.putRecordStates([state]) }
        outside = try DatabaseQueue(path: file.path)
        try outside.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    }

    func run(_ input: [UInt8]) {
        var input = FuzzInput(input)
        let (table, columns) = place(input.byte())
        var values: [DatabaseValue] = []
        for _ in columns { values.append(value(&input)) }
        // A value that the table's own constraints refuse never lies there.
        guard (try? set(columns, of: table, to: values)) != nil else { return }
        let request = StoreFetchRequest(entity: entity)
        if let rows = try? store.fetch(request) {
            for row in 0..<rows.count { _ = "\(rows.values(at: row)) \(rows.objectID(at: row))" }
        }
        _ = try? store.count(request)
        try? store.readJournal { journal in
            _ = try? journal.history(after: 0, limit: 10)
            _ = try? journal.outbox(after: 0, limit: 10)
            _ = try? journal.outbox(for: [key])
            _ = try? journal.recordStates(for: [key])
        }
    }

    private func place(_ byte: UInt8) -> (table: String, columns: [String]) {
        switch byte % 4 {
        case 0: ("\"AllTypes\"", entity.columns.map { "\"\($0.name)\"" })
        case 1: ("backstitch_change", ["keys", "properties", "kind", "tombstone"])
        case 2: ("backstitch_outbox", ["fields", "kind", "sequence"])
        default: ("backstitch_record", ["foreign_name", "change_tag", "unknown_fields"])
        }
    }

    private func value(_ input: inout FuzzInput) -> DatabaseValue {
        switch input.byte() % 5 {
        case 0: .null
        case 1: input.number().databaseValue
        case 2: Double(bitPattern: UInt64(bitPattern: input.number())).databaseValue
        case 3: String(decoding: input.piece(), as: UTF8.self).databaseValue
        default: Data(input.piece()).databaseValue
        }
    }

    private func set(_ columns: [String], of table: String, to values: [DatabaseValue]) throws {
        let assignments = columns.map { "\($0) = ?" }.joined(separator: ", ")
        try outside.writeWithoutTransaction { database in
            try database.cachedStatement(sql: "UPDATE \(table) SET \(assignments)")
                .execute(arguments: StatementArguments(values))
        }
    }
}

#endif
