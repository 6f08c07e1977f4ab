import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// Notes the keys under which a record is that was read.
    mutating func noteSealing(_ sealing: RecordSealing, of key: ObjectKey, _ entity: SyncedEntity) throws {
        guard entity.hasEncryption, let ring = settings.ring else { return }
        try journal.setNote(.sealing, of: SealingSubject(key), to: sealing)
        // Somebody has sent it who does not know of the newer key.
        if !sealing.keyIDs.isDisjoint(with: ring.replaced) { try journal.remove(.rotatedKeys) }
    }
}

extension JournalWriting {
    /// Forgets the keys of records that are gone.
    func forgetSealings(of keys: [ObjectKey], _ model: SyncedModel) throws {
        guard model.hasEncryption else { return }
        for key in keys { try removeNote(.sealing, of: SealingSubject(key)) }
    }
}
