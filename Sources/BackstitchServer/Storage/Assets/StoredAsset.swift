import BackstitchSupport
import CloudWire

/// The content of an asset, known by its checksum. Equal content of a tenant is stored once.
struct StoredAsset: Sendable, Hashable {
    var tenantID: Int64
    var checksum: AssetChecksum
    var size: Int64
    var uploaded: Int64
}
