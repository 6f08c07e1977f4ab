/// One element of an answer about records: the record, or why there is none.
public enum RecordResult: Sendable, Hashable {
    /// The operation worked; a deletion gives a record with ``WireRecord/deleted``.
    case record(WireRecord)
    /// The operation failed.
    case error(RecordError)
}

/// A result is written by the table of the case that it is, and read by the tables of both at once.
extension RecordResult: WireCodable, JSONValue {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .record(let record): record.write(to: &writer)
        case .error(let error): error.write(to: &writer)
        }
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> RecordResult {
        var record = WireRecord.blank
        var keys = ErrorKeys.blank
        var serverRecord: WireRecord?
        var serverRecordDeleted = false
        try reader.readObject {
            record.code(&$0)
            keys.code(&$0)
            RecordError.codeServerRecord(&serverRecord, &serverRecordDeleted, &$0)
        }
        guard let error = keys.error else { return .record(record) }
        return .error(
            RecordError(
                recordName: record.recordName, error: error, serverRecord: serverRecord,
                serverRecordDeleted: serverRecordDeleted))
    }
}
