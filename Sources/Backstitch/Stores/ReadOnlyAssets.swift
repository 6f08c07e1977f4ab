package import Foundation

/// The assets of a store that is only read.
package struct ReadOnlyAssets: AssetStorage {
    private let base: any AssetStorage
    private let refusal: BackstitchError

    /// What `base` holds, and nothing more.
    ///
    /// - Parameter refusal: What writing throws.
    package init(_ base: any AssetStorage, refusal: BackstitchError) {
        self.base = base
        self.refusal = refusal
    }

    package func write(_ data: Data) throws -> AssetReference { throw refusal }
    package func read(_ reference: AssetReference) throws -> Data? { try base.read(reference) }
    package func contains(_ reference: AssetReference) -> Bool { base.contains(reference) }
    package func accept(_ data: Data, as reference: AssetReference) throws { throw refusal }
    package func remove(_ reference: AssetReference) throws { throw refusal }
}
