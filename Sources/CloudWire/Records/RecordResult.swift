/// One element of an answer about records: the record, or why there is none.
public enum RecordResult: Sendable, Hashable {
    /// The operation worked; a deletion gives a record with ``WireRecord/deleted``.
    case record(WireRecord)
    /// The operation failed.
    case error(RecordError)
}

/// Why the operation on one record failed.
public struct RecordError: Error, Sendable, Hashable {
    /// Name of the record; empty when the request gave none.
    public var recordName: String
    /// The error.
    public var error: WireError
    /// Extension: in a CONFLICT, the record as the server has it.
    public var serverRecord: WireRecord?
    /// Extension: in a CONFLICT, true when the server's record is deleted.
    public var serverRecordDeleted: Bool

    /// An error with all its parts.
    public init(
        recordName: String, error: WireError, serverRecord: WireRecord? = nil, serverRecordDeleted: Bool = false
    ) {
        self.recordName = recordName
        self.error = error
        self.serverRecord = serverRecord
        self.serverRecordDeleted = serverRecordDeleted
    }
}

extension RecordError: WireEncodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        var keys = error.draft
        withUnsafePointer(to: self) { failed in
            writer.writeObject(failed) {
                WireRecord.codeName(&$0.recordName, &$1)
                keys.code(&$1)
                Self.codeServerRecord(&$0.serverRecord, &$0.serverRecordDeleted, &$1)
            }
        }
    }

    /// The keys that stand behind those of the name and the error.
    static func codeServerRecord(_ record: inout WireRecord?, _ deleted: inout Bool, _ keys: inout some KeyCoder) {
        keys.optional("serverRecord", &record)
        keys.flag("serverRecordDeleted", &deleted)
    }
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
