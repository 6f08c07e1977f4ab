package import Backstitch
import BackstitchSupport

/// Bytes that a store keeps outside its database. They are removed when the store no longer names them.
package protocol CollectedAssets: AssetStorage {
    /// Shared by each task that is about to name content here.
    var content: AssetGuard { get }
    /// Forgets all content without a name in the store, and returns the number of contents.
    ///
    /// - Parameter named: Returns all names, durably: no state of the store after a power cut may have further names.
    func collect(named: () throws -> Set<AssetReference>) throws -> Int
}
