import Backstitch

/// The way on which an asset's bytes go.
public enum AssetTransferDirection: String, Sendable, Hashable, CaseIterable {
    /// From the server.
    case download
    /// To the server.
    case upload
}
