public import Foundation

/// The known state of an object's record on the server.
public struct RecordState: Sendable, Hashable {
    /// The identity of the object.
    public var objectID: ObjectID
    /// The record's name if it is not the key's UUID; such a record comes from another program.
    public var foreignName: String?
    /// The record's change tag; nil if the server has no such record.
    public var changeTag: String?
    /// Fields of the record outside of this version's model, encoded; nil if there are none.
    public var unknownFields: Data?

    /// Makes a state of an object's record.
    public init(objectID: ObjectID, foreignName: String? = nil, changeTag: String?, unknownFields: Data? = nil) {
        self.objectID = objectID
        self.foreignName = foreignName
        self.changeTag = changeTag
        self.unknownFields = unknownFields
    }
}
