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

extension SyncNotes where Subject == String, Value == AwaitedKey {
    /// Parked records that wait for a key, by their names.
    static var awaitedKey: Self { Self(prefix: "sync.awaitedKey/") }
}

extension JournalReading {
    /// Parked records whose key has come since, as news of them.
    ///
    /// - Throws: ``UnaskedKey`` for the first key that the provider was not asked for.
    func recordsWithNewKeys(_ ring: EncryptionKeyRing, zone: String) throws -> [RemoteChange] {
        try notes(.awaitedKey).compactMap { name, awaited in
            switch ring[awaited.id] {
            case .unasked: throw UnaskedKey(id: awaited.id, ring: ring)
            case .missing: return nil
            case .key(let key):
                // It was tried.
                if let misfit = awaited.misfit, misfit == key.fingerprint { return nil }
                guard let record = try note(.parked, of: name)?.record else { return nil }
                return RemoteChange(record, zone: zone)
            }
        }
    }
}
