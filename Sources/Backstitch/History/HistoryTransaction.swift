public import Foundation

/// What one save, batch request or sync has done.
public struct HistoryTransaction: Sendable, Hashable {
    /// Rises with each transaction of the store, in the order of commits.
    public let number: Int64
    /// When it was made.
    public let timestamp: Date
    /// The store's identifier.
    public let storeID: UUID
    /// Who made it: ``ManagedObjectContext/transactionAuthor``.
    public let author: String?
    /// The name of the context that saved.
    public let contextName: String?
    /// What happened to which object, in the order of writing.
    public let changes: [HistoryChange]

    /// The place after it.
    public var token: HistoryToken { HistoryToken(storeID: storeID, number: number) }

    /// Its changes by identity, as ``ManagedObjectContext/merge(_:)`` takes them.
    public var identities: StoreChanges {
        StoreChanges(
            inserted: changes.filter { $0.kind == .insert }.map(\.objectID),
            updated: changes.filter { $0.kind == .update }.map(\.objectID),
            deleted: changes.filter { $0.kind == .delete }.map(\.objectID))
    }

    /// A transaction.
    public init(
        number: Int64, timestamp: Date, storeID: UUID, author: String?, contextName: String?, changes: [HistoryChange]
    ) {
        self.number = number
        self.timestamp = timestamp
        self.storeID = storeID
        self.author = author
        self.contextName = contextName
        self.changes = changes
    }
}

/// What a transaction did to an object.
public struct HistoryChange: Sendable, Hashable {
    /// What can happen to an object.
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
    /// What happened.
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
