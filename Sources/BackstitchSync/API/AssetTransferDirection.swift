import Backstitch

/// The direction of an asset's transfer.
public enum AssetTransferDirection: String, Sendable, Hashable, CaseIterable {
    /// From the server to this device.
    case download
    /// From this device to the server.
    case upload
}
