import Backstitch
import BackstitchSupport

/// Thrown by a step that needs a key not requested from the provider yet.
struct UnaskedKey: Error {
    let id: String
    /// The key ring of the key's zone. A step may use several zones.
    let ring: EncryptionKeyRing
}
