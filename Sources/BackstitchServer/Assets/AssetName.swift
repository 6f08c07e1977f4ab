import BackstitchSupport

/// The name of an asset's content in its store. Each tenant has its own content.
struct AssetName: Sendable, Hashable {
    var tenantID: Int64
    var checksum: AssetChecksum

    init(tenantID: Int64, checksum: AssetChecksum) {
        self.tenantID = tenantID
        self.checksum = checksum
    }

    /// Reads a path; nil for a path that ``path`` never gives.
    init?(path: some StringProtocol) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let tenantID = Int64(parts[0]), let checksum = AssetChecksum(hexadecimal: parts[2])
        else { return nil }
        self.init(tenantID: tenantID, checksum: checksum)
        guard self.path == path else { return nil }
    }

    /// The name of the file or object: `<tenant>/<two digits>/<checksum>`.
    var path: String {
        let name = checksum.hexadecimal
        // The first byte is the same for all checksums, so the second one names the folder.
        return "\(tenantID)/\(name.dropFirst(2).prefix(2))/\(name)"
    }
}
