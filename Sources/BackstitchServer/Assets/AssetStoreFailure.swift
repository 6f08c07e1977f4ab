import Hummingbird

/// A failure of a content store, often of another machine. It may be over soon.
struct AssetStoreFailure: Error, CustomStringConvertible {
    /// The text for the log. It says what to do, and has no secrets.
    let description: String
    /// Whether the same call may succeed a moment later. A refusal is permanent.
    let mayPass: Bool
}
