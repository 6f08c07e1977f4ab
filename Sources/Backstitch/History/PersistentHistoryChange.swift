/// The change of an object in a transaction.
public struct PersistentHistoryChange: Sendable, Hashable {
    /// The kinds of changes to an object.
    public enum Kind: String, Sendable, Hashable {
        /// The object was inserted.
        case insert
        /// Some of its properties changed.
        case update
        /// The object was deleted.
        case delete
    }

    /// The identity of the changed object.
    public let objectID: ObjectID
    /// The kind of change.
    public let kind: Kind
    /// The names of the properties changed by an update; otherwise empty.
    public let updatedProperties: Set<String>
    /// The kept values of a deleted object: those of attributes with
    /// ``AttributeDescription/preservesValueInHistoryOnDeletion``.
    public let tombstone: [String: Value]

    /// Makes a change of an object.
    public init(
        objectID: ObjectID, kind: Kind, updatedProperties: Set<String> = [], tombstone: [String: Value] = [:]
    ) {
        self.objectID = objectID
        self.kind = kind
        self.updatedProperties = updatedProperties
        self.tombstone = tombstone
    }
}
