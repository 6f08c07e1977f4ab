import Backstitch
import CloudWire
import Foundation

/// Compares the fields of a record that this version's model does not have.
struct OtherFields {
    private let record: WireRecord
    private let entity: SyncedEntity
    private let ring: EncryptionKeyRing?

    init(of record: WireRecord, _ entity: SyncedEntity, _ ring: EncryptionKeyRing?) {
        (self.record, self.entity, self.ring) = (record, entity, ring)
    }

    /// Returns whether two versions of these fields hold different values. Values that this package has encrypted are
    /// compared in plaintext, if their keys are here.
    ///
    /// - Throws: ``UnaskedKey`` for the first key that the provider was not asked for.
    func differ(_ former: Data?, _ now: Data?) throws -> Bool {
        guard former != now else { return false }
        let before = Self.fields(former), after = Self.fields(now)
        for name in Set(before.keys).union(after.keys).sorted() where entity.largeColumns[name] == nil {
            guard let old = before[name], let new = after[name] else { return true }
            if try !isSame(old, new, name) { return true }
        }
        return false
    }

    private func isSame(_ old: WireValue, _ new: WireValue, _ name: String) throws -> Bool {
        switch (old, new) {
        case (.asset(let old), .asset(let new)): return old.fileChecksum == new.fileChecksum && old.size == new.size
        case (.bytes(let old), .bytes(let new)):
            if old == new { return true }
            guard let old = try opened(old, name), let new = try opened(new, name) else { return false }
            return old == new
        default: return old == new
        }
    }

    private func opened(_ bytes: Data, _ field: String) throws -> Data? {
        guard let ring, let envelope = SealedEnvelope(bytes) else { return nil }
        switch ring[envelope.keyID] {
        case .unasked: throw UnaskedKey(id: envelope.keyID, ring: ring)
        case .missing: return nil
        case .key(let key):
            let type = record.recordType ?? entity.wireName
            return envelope.open(
                with: key, at: SealedPlace(recordName: record.recordName, recordType: type, field: field))
        }
    }

    private static func fields(_ data: Data?) -> [String: WireValue] {
        guard let data, let fields = try? WireRecord.Fields(json: Array(data)) else { return [:] }
        return fields.values.compactMapValues { $0 }
    }
}
