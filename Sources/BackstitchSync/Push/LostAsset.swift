import Backstitch

/// An asset that a push leaves out of its record, since its bytes are not here and the server does not have them there.
struct LostAsset: Sendable {
    let column: ResolvedProperty
    /// The asset that the row names.
    let reference: AssetReference
    /// The value that the server has in its place.
    let replacement: Value
}
