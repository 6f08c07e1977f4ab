public import Foundation

/// The changes of one save, batch request or sync.
public struct PersistentHistoryTransaction: Sendable, Hashable {
    /// Rises with each transaction of the store, in the order of commits.
    public let number: Int64
    /// When it was made.
    public let timestamp: Date
    /// The store's identifier.
    public let storeID: UUID
    /// The author of the changes: ``ManagedObjectContext/transactionAuthor``.
    public let author: String?
    /// The name of the context that saved.
    public let contextName: String?
    /// The changes to single objects, in the order of writing.
    public let changes: [PersistentHistoryChange]

    /// The place after it.
    public var token: PersistentHistoryToken { PersistentHistoryToken(storeID: storeID, number: number) }

    /// Its changes by identity, as ``ManagedObjectContext/merge(_:)`` takes them.
    public var identities: StoreChanges {
        var identities = StoreChanges(
            inserted: changes.filter { $0.kind == .insert }.map(\.objectID),
            updated: changes.filter { $0.kind == .update }.map(\.objectID),
            deleted: changes.filter { $0.kind == .delete }.map(\.objectID))
        identities.changedProperties = changes.reduce(into: [:]) { names, change in
            guard change.kind == .update else { return }
            names[change.objectID.entityName, default: []].formUnion(change.updatedProperties)
        }
        return identities
    }

    /// A transaction.
    public init(
        number: Int64, timestamp: Date, storeID: UUID, author: String?, contextName: String?,
        changes: [PersistentHistoryChange]
    ) {
        self.number = number
        self.timestamp = timestamp
        self.storeID = storeID
        self.author = author
        self.contextName = contextName
        self.changes = changes
    }
}

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
