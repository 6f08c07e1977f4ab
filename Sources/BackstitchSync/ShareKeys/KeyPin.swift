import Backstitch
import CloudWire
import Foundation

/// The public keys of one user, as they stand with the program.
struct KeyPin: Sendable, Hashable {
    /// The trusted one.
    var trusted: SharePublicKey?
    /// The one that was refused last, so that it is told once.
    var refused: SharePublicKey?
}

/// The two in base64, with a blank between; `-` for none.
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
