package import Backstitch
package import Foundation

/// Assets of a store in memory: gone with it.
package final class MemoryAssets: AssetStorage {
    private let contents = Locked<[String: Data]>([:])

    /// No assets yet.
    package init() {}

    package func write(_ data: Data) throws -> AssetReference {
        let reference = AssetReference(contentOf: data)
        contents.withLock { $0[reference.checksum] = data }
        return reference
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

extension BackstitchError {
    /// The error for bytes that are not those that a reference names.
    package static func notContent(_ data: Data, of reference: AssetReference) -> BackstitchError {
        let fault =
            Int64(data.count) == reference.size
            ? "have another hash than its checksum" : "are \(data.count), not \(reference.size)"
        return BackstitchError(
            .asset, "the bytes for asset \(reference.checksum) \(fault); fetch them again", key: reference.checksum)
    }
}
