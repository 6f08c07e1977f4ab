import Backstitch
import BackstitchSupport

/// The reason why a key is not available.
struct EncryptionKeyFault: Error {
    let reason: String

    /// Combines a text with the provider's error.
    ///
    /// - Parameter error: The provider's error. Only a ``BackstitchError`` is quoted: the text of another error might
    ///   contain the key.
    init(_ text: String, _ error: any Error) {
        let detail = (error as? BackstitchError)?.message ?? "\(type(of: error))"
        reason = "\(text): \(detail)"
    }
}
