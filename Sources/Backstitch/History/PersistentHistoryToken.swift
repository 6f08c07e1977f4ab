public import Foundation

/// A place in a store's history: after a transaction. Keep it, and later ask for the history after it.
///
/// It can be encoded. It is valid for its own store only, and as long as history is not purged past it.
public struct PersistentHistoryToken: Sendable, Hashable, Codable {
    /// The identifier of the store.
    public let storeID: UUID
    /// The number of the last transaction before the place; 0 for the beginning.
    public let number: Int64

    /// Makes the place after a transaction of a store.
    public init(storeID: UUID, number: Int64) {
        self.storeID = storeID
        self.number = number
    }
}
