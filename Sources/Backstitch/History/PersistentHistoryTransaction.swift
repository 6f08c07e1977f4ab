public import Foundation

/// The changes of one save, batch request or sync.
public struct PersistentHistoryTransaction: Sendable, Hashable {
    /// The number of the transaction; it rises with each transaction of the store, in the order of commits.
    public let number: Int64
    /// The time of the transaction.
    public let timestamp: Date
    /// The identifier of the store.
    public let storeID: UUID
    /// The author of the changes: ``ManagedObjectContext/transactionAuthor``.
    public let author: String?
    /// The name of the context that saved.
    public let contextName: String?
    /// The changes to single objects, in the order of writing.
    public let changes: [PersistentHistoryChange]

    /// The place after this transaction.
    public var token: PersistentHistoryToken { PersistentHistoryToken(storeID: storeID, number: number) }

    /// The changes by identity, in the form for ``ManagedObjectContext/merge(_:)``.
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

    /// Makes a transaction of a store's history.
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
