import BackstitchSupport

/// Names the content of an asset in its store, where each tenant has its own.
struct AssetName: Sendable, Hashable {
    var tenantID: Int64
    var checksum: AssetChecksum

    init(tenantID: Int64, checksum: AssetChecksum) {
        self.tenantID = tenantID
        self.checksum = checksum
    }

    /// The content that a path names; nil for a path that ``path`` never gives.
    init?(path: some StringProtocol) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let tenantID = Int64(parts[0]), let checksum = AssetChecksum(hexadecimal: parts[2])
        else { return nil }
        self.init(tenantID: tenantID, checksum: checksum)
        guard self.path == path else { return nil }
    }

    /// `<tenant>/<two digits>/<checksum>`, the name of the file or object.
    var path: String {
        let name = checksum.hexadecimal
        // The first byte is the same for all.
        return "\(tenantID)/\(name.dropFirst(2).prefix(2))/\(name)"
    }
}
