import Backstitch

/// A record of the server that cannot become an object of this version's model, or has unreadable encrypted fields. It
/// is stored, and tried again when the model changes or its key arrives. Other records are not held up.
public struct ParkedRecord: Sendable, Hashable {
    /// The record's name on the server.
    public var recordName: String
    /// The record's type: the name of an entity, if the model has it.
    public var recordType: String?
    /// The reason why it cannot become an object.
    public var reason: String
    /// The name of an encryption key that is missing or does not fit. Nil if the reason is another one.
    public var keyID: String?

    /// Creates a parked record.
    public init(recordName: String, recordType: String?, reason: String, keyID: String? = nil) {
        self.recordName = recordName
        self.recordType = recordType
        self.reason = reason
        self.keyID = keyID
    }
}
