package import Backstitch
import BackstitchSupport
package import Foundation

/// The assets of a store in memory. They end with the store.
package final class MemoryAssets: AssetStorage {
    /// Shared by each task that is about to name content here.
    package let content = AssetGuard()
    private let contents = Locked<[String: Data]>([:])

    /// Creates an empty asset store.
    package init() {}

    package func reference(to data: Data) -> AssetReference { AssetReference(contentOf: data) }

    package func write(_ contents: AssetContents) throws {
        let contents = try contents.mapValues { try $0.data() }
        self.contents.withLock { for (reference, data) in contents { $0[reference.checksum] = data } }
    }

    package func read(_ reference: AssetReference) throws -> Data? {
        contents.withLock { $0[reference.checksum] }.flatMap { Int64($0.count) == reference.size ? $0 : nil }
    }

    package func contains(_ reference: AssetReference) -> Bool {
        contents.withLock { $0[reference.checksum].map { Int64($0.count) == reference.size } ?? false }
    }

    package func accept(_ data: Data, as reference: AssetReference) throws {
        guard reference.matches(data) else { throw BackstitchError.notContent(data, of: reference) }
        contents.withLock { $0[reference.checksum] = data }
    }

    package func remove(_ reference: AssetReference) throws {
        contents.withLock { $0[reference.checksum] = nil }
    }
}

extension MemoryAssets {
    /// Forgets all content without a name in the store, and returns the number of contents.
    package func collect(named: () throws -> Set<AssetReference>) throws -> Int {
        var count = 0
        _ = try content.alone {
            let kept = Set(try named().map(\.checksum))
            contents.withLock { contents in
                count = contents.count
                contents = contents.filter { kept.contains($0.key) }
                count -= contents.count
            }
        }
        return count
    }
}

extension AssetDirectory: CollectedAssets {}

extension MemoryAssets: CollectedAssets {}

extension BackstitchError {
    /// The error for bytes that do not match their reference.
    package static func notContent(_ data: Data, of reference: AssetReference) -> BackstitchError {
        notContent(Int64(data.count), of: reference)
    }

    /// The error for content of a certain length that does not match its reference.
    static func notContent(_ length: Int64, of reference: AssetReference) -> BackstitchError {
        let fault =
            length == reference.size ? "have another hash than its checksum" : "are \(length), not \(reference.size)"
        return BackstitchError(
            .asset, "the bytes for asset \(reference.checksum) \(fault); fetch them again", key: reference.checksum)
    }
}
