import Backstitch
import CloudWire
import Foundation

/// The key that a parked record waits for.
struct AwaitedKey: Sendable, Hashable {
    let id: String
    /// The fingerprint of a wrong key with this name; nil for none.
    var misfit: String?

    init?(_ fault: RecordFault.Key?) {
        switch fault {
        case .missing(let id): (self.id, misfit) = (id, nil)
        case .misfit(let id, let fingerprint): (self.id, misfit) = (id, fingerprint)
        case .unasked, .noCurrent, nil: return nil
        }
    }
}

/// Stored as the name and the fingerprint, with a blank between.
extension AwaitedKey: SyncPropertyValue {
    init?(storedForm: Data) {
        let words = String(decoding: storedForm, as: UTF8.self).split(separator: " ").map(String.init)
        guard let first = words.first else { return nil }
        (id, misfit) = (first, words.count > 1 ? words[1] : nil)
    }

    var storedForm: Data? { Data("\(id)\(misfit.map { " \($0)" } ?? "")".utf8) }
}
