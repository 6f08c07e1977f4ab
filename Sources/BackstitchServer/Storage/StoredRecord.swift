import BackstitchSupport
import CloudWire

/// A row of the table of records.
struct StoredRecord: Sendable, Hashable {
    struct Flags: OptionSet, Sendable, Hashable {
        let rawValue: Int64
        /// Some field is an asset, so that answers need addresses put in.
        static let assets = Flags(rawValue: 1)
        /// Some field is a reference with an action, so that the table of references has rows.
        static let references = Flags(rawValue: 2)
        /// The record is the root of a share.
        static let root = Flags(rawValue: 4)
    }

    var name: String
    var type: String?
    /// Sequence of the commit that wrote this version.
    var sequence: Int64
    /// The storage's history in which it was written; 0 before there were any.
    var history: Int64 = 0
    var deleted: Bool
    var flags: Flags
    var created: Int64
    var createdBy: String
    /// The device that made it, as it has named itself.
    var createdOn: String
    var modified: Int64
    var modifiedBy: String
    var parent: String?
    /// The `fields` object as JSON, made by this server.
    var fields: [UInt8]

    /// The change tag of this version.
    var changeTag: String { ChangeTag(history: history, sequence: sequence).text }
}
