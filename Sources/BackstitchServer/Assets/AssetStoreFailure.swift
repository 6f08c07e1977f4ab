import Hummingbird

/// Why a store of content failed, or cannot be reached: a matter of another machine, which may be well again soon.
struct AssetStoreFailure: Error, CustomStringConvertible {
    /// For the log: says what happened and what to do, and holds no secrets.
    let description: String
    /// Whether the same may succeed a moment later; a refusal stays one.
    let mayPass: Bool
}
