import Backstitch
import BackstitchSQL

/// Reading the rows of records. Where they come over a network, a portion of them is in memory at once; so large fields
/// are left out of it, and come one by one.
extension SQLTransaction {
    static let allRecordColumns = "\(columnsBesideFields), fields"
    private static let columnsBesideFields = """
        name, type, sequence, history, deleted, flags, created, created_by, created_on, modified, modified_by, parent
        """
    /// Bytes of fields that come with the others of their portion.
    private static let smallFields = 65_536
    /// Records that are asked for at a time: 6 MB.
    static let portionOfRecords = 100

    /// The columns that ``record(_:of:)`` reads.
    var recordColumns: String {
        guard dialect.isRemote else { return Self.allRecordColumns }
        return "\(Self.columnsBesideFields), CASE WHEN length(fields) <= \(Self.smallFields) THEN fields END"
    }

    /// A record of a query for ``recordColumns``.
    func record(_ row: any SQLRow, of zone: StoredZone) throws -> StoredRecord {
        var record = Self.record(row)
        guard dialect.isRemote, row.isNull(12) else { return record }
        let fields: SQLText = """
            SELECT fields FROM record
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND name = \(record.name)
            """
        guard let fields = try one(fields, { $0.bytes(0) }) else {
            throw BackstitchError(
                .storeFailure,
                "the record '\(record.name)' of the zone '\(zone.place.name)' went while its fields were read; ask "
                    + "again")
        }
        record.fields = fields
        return record
    }

    /// A record of a query for ``allRecordColumns``.
    static func record(_ row: any SQLRow) -> StoredRecord {
        StoredRecord(
            name: row.text(0), type: row.optionalText(1), sequence: row.int(2), history: row.int(3),
            deleted: row.int(4) != 0, flags: StoredRecord.Flags(rawValue: row.int(5)), created: row.int(6),
            createdBy: row.text(7), createdOn: row.text(8), modified: row.int(9), modifiedBy: row.text(10),
            parent: row.optionalText(11), fields: row.bytes(12))
    }
}
