package import Foundation

/// The assets of a read-only store.
package struct ReadOnlyAssets: AssetStorage {
    private let base: any AssetStorage
    private let refusal: BackstitchError

    /// Makes a storage that reads the content of `base`, and refuses to write.
    ///
    /// - Parameter refusal: The error thrown by writes.
    package init(_ base: any AssetStorage, refusal: BackstitchError) {
        self.base = base
        self.refusal = refusal
    }

    package func reference(to data: Data) -> AssetReference { base.reference(to: data) }
    package func write(_ contents: AssetContents) throws { throw refusal }
    package func read(_ reference: AssetReference) throws -> Data? { try base.read(reference) }
    package func read(_ reference: AssetReference, _ range: Range<Int64>) throws -> Data? {
        try base.read(reference, range)
    }
    package func url(of reference: AssetReference) -> URL? { base.url(of: reference) }
    package func adopt(_ file: URL, as reference: AssetReference) throws { throw refusal }
    package func contains(_ reference: AssetReference) -> Bool { base.contains(reference) }
    package func present(among references: Set<AssetReference>) -> Set<AssetReference> {
        base.present(among: references)
    }
    package func accept(_ data: Data, as reference: AssetReference) throws { throw refusal }
    package func remove(_ reference: AssetReference) throws { throw refusal }
}
