/// An operation on one record of a request.
package struct RecordOperation: Sendable, Hashable {
    /// The condition for the server's record, and the treatment of its fields.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The record must not exist.
        case create
        /// The record must exist with the given change tag. Other fields than the named ones stay.
        case update
        /// Makes or changes the record with any change tag. Other fields than the named ones stay.
        case forceUpdate
        /// The record must exist with the given change tag. Other fields than the named ones are removed.
        case replace
        /// Makes or changes the record with any change tag. Other fields than the named ones are removed.
        case forceReplace
        /// Deletes the record, which must exist with the given change tag.
        case delete
        /// Deletes the record with any change tag. A missing record is no error.
        case forceDelete

        /// True for the two kinds that remove a record.
        package var isDeletion: Bool { self == .delete || self == .forceDelete }
        /// True for the kinds that compare the change tag.
        package var comparesTag: Bool { self == .update || self == .replace || self == .delete }
        /// True for the kinds that remove all fields outside the request.
        package var replacesFields: Bool { self == .create || self == .replace || self == .forceReplace }
    }

    /// The condition for the server's record, and the treatment of its fields.
    package var operationType: Kind
    /// The record. A deletion needs only the name (and the change tag).
    package var record: WireRecord

    package init(_ operationType: Kind, _ record: WireRecord) {
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
