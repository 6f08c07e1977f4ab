import BackstitchSupport
import CloudWire

/// An asset's content.
struct StoredAsset: Sendable, Hashable {
    var tenantID: Int64
    var checksum: AssetChecksum
    var size: Int64
    var uploaded: Int64
}
