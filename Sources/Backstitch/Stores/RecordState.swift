public import Foundation

/// The state of an object's record on the server, as far as it is known.
public struct RecordState: Sendable, Hashable {
    /// The object.
    public var objectID: ObjectID
    /// The record's name where it is not the key's UUID; it then comes from elsewhere.
    public var foreignName: String?
    /// The record's change tag; nil when the server has no such record.
    public var changeTag: String?
    /// Fields of the record that this version's model does not have, encoded; nil when there are none.
    public var unknownFields: Data?

    /// A state.
    public init(objectID: ObjectID, foreignName: String? = nil, changeTag: String?, unknownFields: Data? = nil) {
        self.objectID = objectID
        self.foreignName = foreignName
        self.changeTag = changeTag
        self.unknownFields = unknownFields
    }
}
