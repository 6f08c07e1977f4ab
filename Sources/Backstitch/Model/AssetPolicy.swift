/// When the bytes of an attribute with external storage come to a device that syncs.
public enum AssetPolicy: Sendable, Hashable {
    /// By themselves, however many they are.
    case eager
    /// When they are asked for.
    case onDemand
    /// By themselves where they are up to so many, else when they are asked for.
    case below(Int64)

    /// Whether so many bytes come by themselves.
    package func brings(_ size: Int64) -> Bool {
        switch self {
        case .eager: true
        case .onDemand: false
        case .below(let most): size <= most
        }
    }
}
