/// The caller's rights to the records of a type in the public database. An extension of this project.
package struct RecordTypeRights: Sendable, Hashable {
    /// The record type; nil for all types without an element of their own.
    package var recordType: String?
    /// Whether the caller may add records.
    package var mayCreate: Bool
    /// Whether the caller may change and delete records that the caller has created.
    package var mayChangeOwn: Bool
    /// Whether the caller may change and delete records that others have created.
    package var mayChangeOthers: Bool

    package init(recordType: String?, mayCreate: Bool, mayChangeOwn: Bool, mayChangeOthers: Bool) {
        self.recordType = recordType
        self.mayCreate = mayCreate
        self.mayChangeOwn = mayChangeOwn
        self.mayChangeOthers = mayChangeOthers
    }
}

extension RecordTypeRights: WireObject {
    static var blank: Self { Self(recordType: nil, mayCreate: false, mayChangeOwn: false, mayChangeOthers: false) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("recordType", &recordType)
        keys.value("mayCreate", &mayCreate)
        keys.value("mayChangeOwn", &mayChangeOwn)
        keys.value("mayChangeOthers", &mayChangeOthers)
    }
}
