import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// Notes the keys of a record that was read.
    mutating func noteSealing(_ sealing: RecordSealing, of key: ObjectKey, _ entity: SyncedEntity) throws {
        guard entity.hasEncryption, let ring = settings.ring else { return }
        try journal.setNote(.sealing, of: SealingSubject(key), to: sealing)
        // The record was sent by a device without the newer key.
        if !sealing.keyIDs.isDisjoint(with: ring.replaced) { try journal.remove(.rotatedKeys) }
    }
}

extension JournalWriting {
    /// Forgets the keys of deleted records.
    func forgetSealings(of keys: [ObjectKey], _ model: SyncedModel) throws {
        guard model.hasEncryption else { return }
        for key in keys { try removeNote(.sealing, of: SealingSubject(key)) }
    }
}
