package import Backstitch
import BackstitchSupport

/// Bytes that a store keeps outside its database, and lets go of when it no longer names them.
package protocol CollectedAssets: AssetStorage {
    /// Shared by everyone who is about to name content here.
    var content: AssetGuard { get }
    /// Forgets what nothing names, and gives how many contents that was.
    ///
    /// - Parameter named: Asked for all names, durably: the store must not name more than these in any state that a
    ///   power cut leaves.
    func collect(named: () throws -> Set<AssetReference>) throws -> Int
}
