/// The time at which the bytes of an attribute with external storage reach a synced device.
public enum AssetPolicy: Sendable, Hashable {
    /// Bytes of any size are fetched automatically.
    case eager
    /// Bytes are fetched only when the program asks for them.
    case onDemand
    /// Bytes up to this size are fetched automatically, larger ones only when the program asks for them.
    case below(Int64)

    /// Whether an asset of `size` bytes is fetched automatically.
    package func brings(_ size: Int64) -> Bool {
        switch self {
        case .eager: true
        case .onDemand: false
        case .below(let most): size <= most
        }
    }
}
