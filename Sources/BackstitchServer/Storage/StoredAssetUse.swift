import BackstitchSupport
import CloudWire

/// An asset that a record uses.
struct StoredAssetUse: Sendable, Hashable {
    var record: String
    var field: String
    var checksum: AssetChecksum
}
