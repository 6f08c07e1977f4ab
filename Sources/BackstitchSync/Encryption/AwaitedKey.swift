import Backstitch
import CloudWire
import Foundation

/// The key for which a parked record waits.
struct AwaitedKey: Sendable, Hashable {
    let id: String
    /// The fingerprint of the key of that name that does not fit; nil where there is none.
    var misfit: String?

    init?(_ fault: RecordFault.Key?) {
        switch fault {
        case .missing(let id): (self.id, misfit) = (id, nil)
        case .misfit(let id, let fingerprint): (self.id, misfit) = (id, fingerprint)
        case .unasked, .noCurrent, nil: return nil
        }
    }
}

/// Its words, with blanks between.
extension AwaitedKey: SyncPropertyValue {
    init?(storedForm: Data) {
        let words = String(decoding: storedForm, as: UTF8.self).split(separator: " ").map(String.init)
        guard let first = words.first else { return nil }
        (id, misfit) = (first, words.count > 1 ? words[1] : nil)
    }

    var storedForm: Data? { Data("\(id)\(misfit.map { " \($0)" } ?? "")".utf8) }
}
