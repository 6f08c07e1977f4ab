import Backstitch
import CloudWire
import Foundation

extension SyncNotes where Subject == String, Value == AwaitedKey {
    /// Parked records that wait for a key, by their names.
    static var awaitedKey: Self { Self(prefix: "sync.awaitedKey/") }
}

extension JournalReading {
    /// Parked records with a newly available key, as incoming changes.
    ///
    /// - Throws: ``UnaskedKey`` for the first key not requested from the provider yet.
    func recordsWithNewKeys(_ ring: EncryptionKeyRing, zone: String) throws -> [RemoteChange] {
        try notes(.awaitedKey).compactMap { name, awaited in
            switch ring[awaited.id] {
            case .unasked: throw UnaskedKey(id: awaited.id, ring: ring)
            case .missing: return nil
            case .key(let key):
                // This key was tried before.
                if let misfit = awaited.misfit, misfit == key.fingerprint { return nil }
                guard let record = try note(.parked, of: name)?.record else { return nil }
                return RemoteChange(record, zone: zone)
            }
        }
    }
}
