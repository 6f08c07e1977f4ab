import Backstitch
import BackstitchSupport

/// A step has met the name of a key that the provider was not asked for.
struct UnaskedKey: Error {
    let id: String
    /// The keys among which it is, which are those of one zone: a step may be about several.
    let ring: EncryptionKeyRing
}
