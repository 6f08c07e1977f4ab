/// One element of an answer about records: the record, or the reason why there is none.
package enum RecordResult: Sendable, Hashable {
    /// The operation succeeded. A deletion returns a record with ``WireRecord/deleted``.
    case record(WireRecord)
    /// The operation on the record failed.
    case error(RecordError)
}

/// The table of its case writes a result. The tables of both cases read it together.
extension RecordResult: WireCodable, JSONValue {
    /// Appends the JSON form of the case.
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .record(let record): record.write(to: &writer)
        case .error(let error): error.write(to: &writer)
        }
    }

    /// Reads the JSON form leniently: an error code decides the case.
    package static func read(from reader: inout JSONReader) throws(WireCodingError) -> RecordResult {
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
