import Backstitch
import BackstitchSQL

/// Reading the rows of records.
///
/// Over a network, a whole portion of rows is in memory at once. So large fields are left out of the portion, and read
/// one by one.
extension ZoneSnapshot {
    /// All columns of a record, in the order that ``record(_:)`` expects.
    static let allRecordColumns = "\(columnsBesideFields), fields"
    private static let columnsBesideFields = """
        name, type, sequence, history, deleted, flags, created, created_by, created_on, modified, modified_by, parent,
        moved_to
        """

    /// The maximum bytes of fields that are read with their portion.
    private static let smallFields = 65_536

    /// The number of records in one portion, which has 6 MB at most.
    static let portionOfRecords = 100

    /// The columns for ``record(_:of:)``. Over a network they leave out large fields.
    var recordColumns: String {
        guard dialect.isRemote else { return Self.allRecordColumns }
        return "\(Self.columnsBesideFields), CASE WHEN length(fields) <= \(Self.smallFields) THEN fields END"
    }

    /// Reads a record from a row of ``recordColumns``. Fields that were left out are read by a second query.
    func record(_ row: any SQLRow, of zone: StoredZone) throws -> StoredRecord {
        var record = Self.record(row)
        guard dialect.isRemote, row.isNull(13) else { return record }
        let fields: SQLText = """
            SELECT fields FROM record
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND name = \(record.name)
            """
        guard let fields = try one(fields, { $0.bytes(0) }) else {
            throw BackstitchError(
                .storeFailure,
                "the record '\(record.name)' of the zone '\(zone.place.name)' was removed while its fields were "
                    + "read; ask again")
        }
        record.fields = fields
        return record
    }

    /// Reads a record from a row of ``allRecordColumns``.
    static func record(_ row: any SQLRow) -> StoredRecord {
        StoredRecord(
            name: row.text(0), type: row.optionalText(1), sequence: row.int(2), history: row.int(3),
            deleted: row.int(4) != 0, flags: StoredRecord.Flags(rawValue: row.int(5)), created: row.int(6),
            createdBy: row.text(7), createdOn: row.text(8), modified: row.int(9), modifiedBy: row.text(10),
            parent: row.optionalText(11), movedTo: row.optionalText(12), fields: row.bytes(13))
    }
}
