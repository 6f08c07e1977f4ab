import BackstitchSupport
import CloudWire

/// A row of the table of records: one version of a record, or a tombstone.
struct StoredRecord: Sendable, Hashable {
    struct Flags: OptionSet, Sendable, Hashable {
        let rawValue: Int64
        /// Some field is an asset, so answers must get download addresses.
        static let assets = Flags(rawValue: 1)
        /// Some field is a reference with an action, so the table of references has rows for this record.
        static let references = Flags(rawValue: 2)
        /// The record is the root of a share.
        static let root = Flags(rawValue: 4)
    }

    var name: String
    var type: String?
    /// The sequence of the commit that wrote this version.
    var sequence: Int64
    /// The storage's history at the time of the write; 0 for records from before histories existed.
    var history: Int64 = 0
    var deleted: Bool
    var flags: Flags
    var created: Int64
    var createdBy: String
    /// The device that made the record, by its own name for itself.
    var createdOn: String
    var modified: Int64
    var modifiedBy: String
    var parent: String?
    /// Of a tombstone: the zone that has the record's object now, if the deletion said so.
    var movedTo: String?
    /// The `fields` object as JSON, encoded by this server.
    var fields: [UInt8]

    /// The change tag of this version, made from history and sequence.
    var changeTag: String { ChangeTag(history: history, sequence: sequence).text }
}
