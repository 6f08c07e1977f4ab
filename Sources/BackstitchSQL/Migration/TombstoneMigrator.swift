import Backstitch

/// Renames the attributes of deleted objects' values in history.
struct TombstoneMigrator {
    private let connection: any SQLConnection

    init(_ connection: any SQLConnection) { self.connection = connection }

    /// Rewrites the tombstones of an entity.
    ///
    /// - Parameter names: The new names of the entity's properties by their old ones; nil for removed ones.
    func run(entity: String, names: [String: String?]) throws {
        var query = SQLStatement(
            connection.dialect,
            "SELECT transaction_number, position, tombstone FROM \(SystemTables.change) WHERE tombstone IS NOT NULL "
                + "AND entity = ")
        query.append(.text(entity))
        query.isAdHoc = true
        var changed: [(number: Int64, position: Int64, bytes: [UInt8])] = []
        try connection.forEachRow(of: query) { row in
            let values = try Tombstones.decode(row.bytes(2))
            guard values.contains(where: { names[$0.key, default: $0.key] != $0.key }) else { return }
            var writer = ByteWriter()
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                guard let new = names[name, default: name] else { continue }
                writer.write(text: new)
                writer.write(value)
            }
            changed.append((row.int(0), row.int(1), writer.bytes))
        }
        let builder = SQLBulkBuilder(connection.dialect, [.bytes, .integer, .integer])
        let statement = builder.update(
            SystemTables.change, set: ["tombstone = \(builder.value(0))"],
            where: "transaction_number = \(builder.value(1)) AND position = \(builder.value(2))", returning: [])
        try connection.runEach(statement, count: changed.count) { run, parameters in
            parameters.bind(changed[run].bytes, at: 1)
            parameters.bind(changed[run].number, at: 2)
            parameters.bind(changed[run].position, at: 3)
        } done: { _, _ in
        }
    }
}
