import Backstitch

/// A record of the server that cannot become an object of this version's model, or whose encrypted fields cannot be
/// read. It is kept, and tried again when the model changes, or its key comes; other records go on.
public struct ParkedRecord: Sendable, Hashable {
    /// The record's name on the server.
    public var recordName: String
    /// Its type, the name of an entity where the model has it.
    public var recordType: String?
    /// Why it cannot become an object.
    public var reason: String
    /// The name of the encryption key that it needs and that is not here, or does not fit; nil where that is not why.
    public var keyID: String?

    /// A parked record.
    public init(recordName: String, recordType: String?, reason: String, keyID: String? = nil) {
        self.recordName = recordName
        self.recordType = recordType
        self.reason = reason
        self.keyID = keyID
    }
}
