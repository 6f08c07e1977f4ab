/// An operation on one record.
public struct RecordOperation: Sendable, Hashable {
    /// How an operation treats what the server has.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The record must not exist.
        case create
        /// The record must exist with the given change tag; fields that are not named stay.
        case update
        /// Makes or changes the record whatever its change tag; fields that are not named stay.
        case forceUpdate
        /// The record must exist with the given change tag; fields that are not named go.
        case replace
        /// Makes or changes the record whatever its change tag; fields that are not named go.
        case forceReplace
        /// The record must exist with the given change tag.
        case delete
        /// Deletes the record whatever its change tag; a missing record is no error.
        case forceDelete

        /// True for the two kinds that remove a record.
        public var isDeletion: Bool { self == .delete || self == .forceDelete }
        /// True for the kinds that compare the change tag.
        public var comparesTag: Bool { self == .update || self == .replace || self == .delete }
        /// True for the kinds that drop fields which are not named.
        public var replacesFields: Bool { self == .create || self == .replace || self == .forceReplace }
    }

    /// How the operation treats what the server has.
    public var operationType: Kind
    /// The record; a deletion needs only the name (and the change tag).
    public var record: WireRecord

    /// An operation on a record.
    public init(_ operationType: Kind, _ record: WireRecord) {
        self.operationType = operationType
        self.record = record
    }
}

extension RecordOperation: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("operationType")
        writer.string(operationType.rawValue)
        writer.key("record")
        record.write(to: &writer)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> RecordOperation {
        var kind: Kind?
        var record: WireRecord?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "operationType": kind = try reader.readOperationType() ?? kind
            case "record": record = try reader.readOrNull(WireRecord.self)
            default: try reader.skip()
            }
        }
        guard let kind else { throw reader.lacksOperationType }
        guard let record else { throw reader.wrongValue("an operation needs a record") }
        return RecordOperation(kind, record)
    }
}
