import Backstitch
import Foundation

/// The states of records on the server, in the database.
struct RecordTable {
    private let connection: any SQLConnection
    private let columns = "key, entity, foreign_name, change_tag, unknown_fields"

    init(_ connection: any SQLConnection) { self.connection = connection }

    func states(for keys: [ObjectKey]) throws -> [ObjectKey: RecordState] {
        var states: [ObjectKey: RecordState] = [:]
        for chunk in SQLStatement.keyChunks(keys, dialect: connection.dialect) {
            var statement = query("key")
            statement.append(isOneOf: chunk)
            try connection.forEachRow(of: statement) { row in
                let state = try Self.state(row)
                states[state.objectID.key] = state
            }
        }
        return states
    }

    /// The states of records with foreign names. It takes one statement for each name, because such records are few.
    func states(named names: [String]) throws -> [String: RecordState] {
        var states: [String: RecordState] = [:]
        for name in names {
            var statement = query("foreign_name = ")
            statement.append(.text(name))
            try connection.forEachRow(of: statement) { states[name] = try Self.state($0) }
        }
        return states
    }

    func allKeys() throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        try connection.forEachRow(
            of: SQLStatement(connection.dialect, "SELECT key FROM \(SystemTables.record) ORDER BY key")
        ) {
            keys.append(try $0.key(0))
        }
        return keys
    }

    /// Writes states, and replaces those of the same objects. Of several for one object the last counts.
    func put(_ states: [RecordState]) throws {
        let states = states.lastOfEach(\.objectID.key)
        let assignments = ["entity", "foreign_name", "change_tag", "unknown_fields"]
            .map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let statement = SQLBulkBuilder(connection.dialect, [.key, .text, .text, .text, .bytes])
            .insert(into: SystemTables.record, [columns], " ON CONFLICT (key) DO UPDATE SET \(assignments)")
        try connection.runEach(statement, count: states.count) { run, parameters in
            let state = states[run]
            parameters.bind(state.objectID.key, at: 1)
            parameters.bind(state.objectID.entityName, at: 2)
            parameters.bind(state.foreignName, at: 3)
            parameters.bind(state.changeTag, at: 4)
            parameters.bind(state.unknownFields.map { [UInt8]($0) }, at: 5)
        } done: { _, _ in
        }
    }

    func remove(_ keys: [ObjectKey]) throws {
        let builder = SQLBulkBuilder(connection.dialect, [.key])
        let statement = builder.delete(from: SystemTables.record, where: "key = \(builder.value(0))")
        try connection.runEach(statement, count: keys.count) {
            $1.bind(keys[$0], at: 1)
        } done: { _, _ in
        }
    }

    private func query(_ condition: String) -> SQLStatement {
        SQLStatement(connection.dialect, "SELECT \(columns) FROM \(SystemTables.record) WHERE \(condition)")
    }

    private static func state(_ row: any SQLRow) throws -> RecordState {
        RecordState(
            objectID: ObjectID(entityName: row.text(1), key: try row.key(0)), foreignName: row.optionalText(2),
            changeTag: row.optionalText(3), unknownFields: row.isNull(4) ? nil : Data(row.bytes(4)))
    }
}
