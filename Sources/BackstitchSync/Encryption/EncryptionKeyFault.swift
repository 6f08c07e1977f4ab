import Backstitch
import BackstitchSupport

/// Why a key cannot be had.
struct EncryptionKeyFault: Error {
    let reason: String

    /// - Parameter error: The provider's. Only errors of known shape are told: another one's text might hold the key.
    init(_ text: String, _ error: any Error) {
        let detail = (error as? BackstitchError)?.message ?? "\(type(of: error))"
        reason = "\(text): \(detail)"
    }
}
