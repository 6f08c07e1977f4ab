import BackstitchSQL
import BackstitchSupport
import CloudWire

/// Writing records. Pushes spend most of their time here, so one statement writes all of them.
extension ZoneTransaction {
    /// Adds records with names that are new in the zone.
    ///
    /// - Parameter work: What is known of their entries in the indexes of queries.
    func insert(
        _ records: [StoredRecord], into zone: StoredZone, _ work: QueryKeyWork = QueryKeyWork(limit: .max)
    ) throws {
        let builder = SQLBulkBuilder(dialect, [.integer, .integer, .text] + Self.contentTypes)
        let statement = builder.insert(into: "record", ["tenant_id", "zone_id", "name"] + Self.contentColumns)
        try runEach(statement, count: records.count) { index, parameters in
            parameters.bind(zone.tenantID, at: 1)
            parameters.bind(zone.zoneID, at: 2)
            parameters.bind(records[index].name, at: 3)
            Self.bind(records[index], parameters, at: 4)
        }
        try self.index(records, in: zone, areNew: true, work)
    }

    /// Replaces records of the zone by new versions.
    ///
    /// - Parameter work: What is known of their entries in the indexes of queries.
    func update(
        _ records: [StoredRecord], in zone: StoredZone, _ work: QueryKeyWork = QueryKeyWork(limit: .max)
    ) throws {
        let builder = SQLBulkBuilder(dialect, Self.contentTypes + [.integer, .integer, .text])
        let assignments = Self.contentColumns.enumerated().map { "\($0.element) = \(builder.value($0.offset))" }
        let key = Self.contentColumns.count
        let statement = builder.update(
            "record", set: assignments,
            where: "tenant_id = \(builder.value(key)) AND zone_id = \(builder.value(key + 1)) "
                + "AND name = \(builder.value(key + 2))")
        try runEach(statement, count: records.count) { index, parameters in
            Self.bind(records[index], parameters, at: 1)
            parameters.bind(zone.tenantID, at: key + 1)
            parameters.bind(zone.zoneID, at: key + 2)
            parameters.bind(records[index].name, at: key + 3)
        }
        try self.index(records, in: zone, areNew: false, work)
    }

    /// All columns outside the key.
    private static let contentColumns = [
        "type", "sequence", "history", "deleted", "flags", "created", "created_by", "created_on", "modified",
        "modified_by", "parent", "moved_to", "fields",
    ]
    private static let contentTypes: [SQLBulkType] = [
        .text, .integer, .integer, .integer, .integer, .integer, .text, .text, .integer, .text, .text, .text, .bytes,
    ]

    /// Binds the values of ``contentColumns``, beginning with the parameter `first`.
    private static func bind(_ record: StoredRecord, _ parameters: any SQLBinder, at first: Int) {
        parameters.bind(record.type, at: first)
        parameters.bind(record.sequence, at: first + 1)
        parameters.bind(record.history, at: first + 2)
        parameters.bind(Int64(record.deleted ? 1 : 0), at: first + 3)
        parameters.bind(record.flags.rawValue, at: first + 4)
        parameters.bind(record.created, at: first + 5)
        parameters.bind(record.createdBy, at: first + 6)
        parameters.bind(record.createdOn, at: first + 7)
        parameters.bind(record.modified, at: first + 8)
        parameters.bind(record.modifiedBy, at: first + 9)
        parameters.bind(record.parent, at: first + 10)
        parameters.bind(record.movedTo, at: first + 11)
        parameters.bind(record.fields, at: first + 12)
    }
}
