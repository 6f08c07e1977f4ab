import BackstitchSupport
import Foundation

/// The assets of a coordinator without stores: it makes references, but stores no bytes.
struct NoAssets: AssetStorage {
    func reference(to data: Data) -> AssetReference {
        AssetReference(checksum: AssetChecksum(contentOf: data).wire, size: Int64(data.count))
    }

    func write(_ contents: AssetContents) throws { if !contents.isEmpty { throw noStore } }

    func accept(_ data: Data, as reference: AssetReference) throws { throw noStore }

    func read(_ reference: AssetReference) throws -> Data? { nil }

    func contains(_ reference: AssetReference) -> Bool { false }

    func remove(_ reference: AssetReference) throws {}

    private var noStore: BackstitchError {
        BackstitchError(.storeClosed, "the coordinator's last store was removed, so no store can keep assets")
    }
}
