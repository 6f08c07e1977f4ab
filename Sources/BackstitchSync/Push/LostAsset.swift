import Backstitch

/// An asset that a push leaves out of its record, because its bytes are neither here nor on the server.
struct LostAsset: Sendable {
    let column: ResolvedProperty
    /// The asset that the row names.
    let reference: AssetReference
    /// The server's present value of the attribute.
    let replacement: Value
}
