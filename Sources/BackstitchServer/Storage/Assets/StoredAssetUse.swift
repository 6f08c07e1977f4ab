import BackstitchSupport
import CloudWire

/// A record's use of an asset in one field.
struct StoredAssetUse: Sendable, Hashable {
    var record: String
    var field: String
    var checksum: AssetChecksum
}
