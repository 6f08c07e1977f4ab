import Backstitch
import CloudWire

extension SyncController {
    /// The public keys of those who take part in a zone's share, but the user's own, and which of them are trusted; in
    /// order of the users' record names. In a zone of somebody else it is the owner's alone, which says whose keys the
    /// zone has. As the last sync has left them; the server is not asked.
    ///
    /// ```swift
    /// for key in try await sync.participantKeys(inZoneNamed: "Club") where key.state == .refused {
    ///     if await user.confirms(key.publicKey?.fingerprint) { try await sync.trustKey(of: key) }
    /// }
    /// ```
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for a zone that the store does not have, and where it has no
    ///   ``Backstitch/StoreOption/syncShareIdentity``.
    public func participantKeys(inZoneNamed name: String) async throws -> [ParticipantKey] {
        try await zoneWithKeys(named: name).1.participantKeys(inZone: name)
    }

    /// Trusts a key that ``participantKeys(inZoneNamed:)`` or ``SyncEvent/keyRefused(_:)`` has shown. The keys of one's
    /// own zone are sealed for it with the next sync, and no longer for the former one; those that the owner of another
    /// zone has sealed are taken.
    ///
    /// - Throws: As ``participantKeys(inZoneNamed:)``, and ``BackstitchError/Code/saveConflict`` where the participant
    ///   shows another key by now, or takes part no more: nothing is trusted then.
    public func trustKey(of key: ParticipantKey) async throws {
        let (zone, zoneKeys) = try await zoneWithKeys(named: key.zone)
        let now = try await zoneKeys.participantKeys(inZone: key.zone).first {
            $0.userRecordName == key.userRecordName
        }
        guard let trusted = key.publicKey, now?.publicKey == trusted else {
            throw BackstitchError(
                .saveConflict,
                "\(key.userRecordName) does not show the key \(key.publicKey?.fingerprint ?? "none") in the zone \"\(key.zone)\" "
                    + "any more; read participantKeys(inZoneNamed:) again")
        }
        try await zone.onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                try journal.setKeyPin(KeyPin(trusted: trusted), of: key.userRecordName, isDecided: true)
            }
        }
        services.bell.ring()
        keysMayBeDue()
    }

    /// Begins a cycle where the store syncs by itself and shared zones have keys: who gets them may be others now.
    func keysMayBeDue() {
        if services.zoneKeys != nil { driver.tell(.trigger(.localSave, ticket: nil)) }
    }

    private func zoneWithKeys(named name: String) async throws -> (SyncServices, SharedZoneKeys) {
        guard let zoneKeys = services.zoneKeys else {
            throw BackstitchError(
                .invalidRequest,
                "the store has no keys of shared zones: give the option syncShareIdentity, and a model with encrypted attributes"
            )
        }
        return (name.isEmpty && hasMainZone ? services : try await services(ofFurtherZoneNamed: name), zoneKeys)
    }
}
