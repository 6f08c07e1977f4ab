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

extension RecordOperation.Kind: JSONWord {
    static var noun: String { "operationType" }
}

extension RecordOperation: WireObject {
    static var blank: Self { Self(.create, .blank) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("operationType", &operationType, else: "an operation needs an operationType")
        keys.value("record", &record, else: "an operation needs a record")
    }
}
