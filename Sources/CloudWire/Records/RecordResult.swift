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

extension RecordResult: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .record(let record): record.write(to: &writer)
        case .error(let error): error.write(to: &writer)
        }
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> RecordResult {
        var record = WireRecord(recordName: "")
        var keys = ErrorKeys()
        var serverRecord: WireRecord?
        var serverRecordDeleted = false
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if try record.read(key, from: &reader) { continue }
            switch key {
            case "serverRecord": serverRecord = try reader.readOrNull(WireRecord.self)
            case "serverRecordDeleted": serverRecordDeleted = try reader.readBoolOrNull() ?? false
            default: if try !keys.read(key, from: &reader) { try reader.skip() }
            }
        }
        guard let error = keys.error else { return .record(record) }
        return .error(
            RecordError(
                recordName: record.recordName, error: error, serverRecord: serverRecord,
                serverRecordDeleted: serverRecordDeleted))
    }
}

extension RecordError: WireEncodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if !recordName.isEmpty {
            writer.key("recordName")
            writer.string(recordName)
        }
        error.writeKeys(to: &writer)
        writer.optional("serverRecord", serverRecord)
        if serverRecordDeleted { writer.optionalBool("serverRecordDeleted", true) }
        writer.endObject()
    }
}
