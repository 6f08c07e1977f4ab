import Backstitch
import BackstitchSupport
import CloudWire

// This project's server uses hashes as checksums, and they are used to check the bytes. Checksums of other servers may
// look like hashes without being hashes. They are stored under another name: such an asset is only checked for its
// size, and for an unchanged checksum.
extension AssetReference {
    private static let opaque = "opaque:"

    /// Creates a reference to the asset of a record.
    ///
    /// - Parameter isHash: Whether the server's checksums are hashes.
    init(_ asset: WireAsset, isHash: Bool) {
        self.init(checksum: isHash ? asset.fileChecksum : Self.opaque + asset.fileChecksum, size: asset.size)
    }

    /// The checksum as the server sends it.
    var wireChecksum: String {
        checksum.begins(with: Self.opaque) ? String(checksum.dropping(Self.opaque)) : checksum
    }

    /// Returns whether a record's asset is this one.
    func names(_ asset: WireAsset) -> Bool { asset.fileChecksum.isSame(as: wireChecksum) && asset.size == size }

    /// Describes the fault of a size that a server sends; nil if there is none.
    static func sizeFault(_ size: Int64, limit: Int64) -> String? {
        if size < 0 { return "of \(size) bytes" }
        return size <= limit ? nil : "of \(size) bytes, and the option syncMaximumAssetSize takes up to \(limit)"
    }
}
