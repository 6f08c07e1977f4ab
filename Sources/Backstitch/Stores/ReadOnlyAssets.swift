package import Foundation

/// The assets of a store that is only read.
package struct ReadOnlyAssets: AssetStorage {
    private let base: any AssetStorage
    private let store: String

    /// What `base` holds, and nothing more.
    ///
    /// - Parameter store: What messages call the store.
    package init(_ base: any AssetStorage, store: String) {
        self.base = base
        self.store = store
    }

    package func write(_ data: Data) throws -> AssetReference { throw StoreConfiguration.isReadOnly(store) }
    package func read(_ reference: AssetReference) throws -> Data? { try base.read(reference) }
    package func contains(_ reference: AssetReference) -> Bool { base.contains(reference) }
    package func accept(_ data: Data, as reference: AssetReference) throws {
        throw StoreConfiguration.isReadOnly(store)
    }
    package func remove(_ reference: AssetReference) throws { throw StoreConfiguration.isReadOnly(store) }
}
