import Backstitch
import BackstitchSupport
import CloudWire

// Checksums of this project's server are hashes, by which bytes are checked. Those of others may look the same and be
// something else, so they are kept under another name: of such an asset one knows the size, and that the checksum is
// still the one that was told.
extension AssetReference {
    private static let opaque = "opaque:"

    /// The asset of a record.
    ///
    /// - Parameter isHash: Whether the server's checksums are hashes.
    init(_ asset: WireAsset, isHash: Bool) {
        self.init(checksum: isHash ? asset.fileChecksum : Self.opaque + asset.fileChecksum, size: asset.size)
    }

    /// The checksum as the server tells it.
    var wireChecksum: String {
        checksum.begins(with: Self.opaque) ? String(checksum.dropping(Self.opaque)) : checksum
    }

    /// Whether a record's asset is this one.
    func names(_ asset: WireAsset) -> Bool { asset.fileChecksum.isSame(as: wireChecksum) && asset.size == size }

    /// Describes the fault of a size that a server tells; nil when there is none.
    static func sizeFault(_ size: Int64, limit: Int64) -> String? {
        if size < 0 { return "of \(size) bytes" }
        return size <= limit ? nil : "of \(size) bytes, and the option syncMaximumAssetSize takes up to \(limit)"
    }
}
