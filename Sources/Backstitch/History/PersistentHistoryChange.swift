/// The change of an object in a transaction.
public struct PersistentHistoryChange: Sendable, Hashable {
    /// The kinds of changes to an object.
    public enum Kind: String, Sendable, Hashable {
        /// It came.
        case insert
        /// Some of its properties changed.
        case update
        /// It went.
        case delete
    }

    /// The object.
    public let objectID: ObjectID
    /// The kind of change.
    public let kind: Kind
    /// The names of the properties that an update changed; otherwise empty.
    public let updatedProperties: Set<String>
    /// Of a deleted object, the values that its entity keeps: those of attributes with
    /// ``AttributeDescription/preservesValueInHistoryOnDeletion``.
    public let tombstone: [String: Value]

    /// A change.
    public init(
        objectID: ObjectID, kind: Kind, updatedProperties: Set<String> = [], tombstone: [String: Value] = [:]
    ) {
        self.objectID = objectID
        self.kind = kind
        self.updatedProperties = updatedProperties
        self.tombstone = tombstone
    }
}
