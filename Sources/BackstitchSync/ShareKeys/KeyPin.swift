import Backstitch
import CloudWire
import Foundation

/// The decisions of the program about one user's public keys.
struct KeyPin: Sendable, Hashable {
    /// The trusted key; nil for none.
    var trusted: SharePublicKey?
    /// The key that was refused last. It is kept so that the refusal is reported only once.
    var refused: SharePublicKey?
}

/// The two keys in base64, with a blank between; `-` for none.
extension KeyPin: SyncPropertyValue {
    init?(storedForm: Data) {
        let words = String(decoding: storedForm, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 2 else { return nil }
        (trusted, refused) = (SharePublicKey(wireText: words[0]), SharePublicKey(wireText: words[1]))
    }

    var storedForm: Data? {
        trusted == nil && refused == nil
            ? nil : Data("\(trusted?.wireText ?? "-") \(refused?.wireText ?? "-")".utf8)
    }
}
