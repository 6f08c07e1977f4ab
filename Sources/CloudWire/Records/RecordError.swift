/// The reason why the operation on one record failed.
package struct RecordError: Error, Sendable, Hashable {
    /// The name of the record; empty if the request gave none.
    package var recordName: String
    /// The error of the operation.
    package var error: WireError
    /// Extension: in a CONFLICT, the server's record. In a NOT_FOUND of a look-up, the deleted record.
    package var serverRecord: WireRecord?
    /// Extension: true if ``serverRecord`` is deleted.
    package var serverRecordDeleted: Bool

    package init(
        recordName: String, error: WireError, serverRecord: WireRecord? = nil, serverRecordDeleted: Bool = false
    ) {
        self.recordName = recordName
        self.error = error
        self.serverRecord = serverRecord
        self.serverRecordDeleted = serverRecordDeleted
    }
}

extension RecordError: WireEncodable {
    /// Appends the JSON form of the error.
    package func write(to writer: inout JSONWriter) {
        var keys = error.draft
        withUnsafePointer(to: self) { failed in
            writer.writeObject(failed) {
                WireRecord.codeName(&$0.recordName, &$1)
                keys.code(&$1)
                Self.codeServerRecord(&$0.serverRecord, &$0.serverRecordDeleted, &$1)
            }
        }
    }

    /// Lists the keys after those of the name and the error.
    static func codeServerRecord(_ record: inout WireRecord?, _ deleted: inout Bool, _ keys: inout some KeyCoder) {
        keys.optional("serverRecord", &record)
        keys.flag("serverRecordDeleted", &deleted)
    }
}
