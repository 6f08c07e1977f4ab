import Backstitch
import CloudWire

extension SyncEncryption {
    /// The public keys of the participants in a zone's share, and the trust in them. The user's own key is left out.
    /// The order is that of the users' record names. In another user's zone only the owner's key is returned: the
    /// zone's keys come from the owner. The keys are as the last sync has left them; the server is not asked.
    ///
    /// ```swift
    /// for key in try await sync.encryption.participantKeys(inZoneNamed: "Club") where key.state == .refused {
    ///     if await user.confirms(key.publicKey?.fingerprint) { try await sync.encryption.trust(key) }
    /// }
    /// ```
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for a zone outside the store, and in a store without
    ///   ``Backstitch/StoreOption/syncShareIdentity``.
    public func participantKeys(inZoneNamed name: String) async throws -> [ParticipantKey] {
        try await zoneWithKeys(named: name).1.participantKeys(inZone: name)
    }

    /// Trusts a key shown by ``participantKeys(inZoneNamed:)`` or ``SyncEvent/keyRefused(_:)``. In the user's own zone,
    /// the next sync seals the zone's keys for it, and no longer for the former key. In another user's zone, the keys
    /// sealed by this owner are accepted.
    ///
    /// - Throws: As ``participantKeys(inZoneNamed:)``, and ``BackstitchError/Code/saveConflict`` if the participant now
    ///   shows another key, or takes part no more. Nothing is trusted then.
    public func trust(_ key: ParticipantKey) async throws {
        let (zone, zoneKeys) = try await zoneWithKeys(named: key.zone)
        let now = try await zoneKeys.participantKeys(inZone: key.zone).first {
            $0.userRecordName == key.userRecordName
        }
        guard let trusted = key.publicKey, now?.publicKey == trusted else {
            throw BackstitchError(
                .saveConflict,
                "\(key.userRecordName) does not show the key \(key.publicKey?.fingerprint ?? "none") in the zone \"\(key.zone)\" "
                    + "any more; read sync.encryption.participantKeys(inZoneNamed:) again")
        }
        try await zone.onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                try journal.setKeyPin(KeyPin(trusted: trusted), of: key.userRecordName, isDecided: true)
            }
        }
        services.bell.ring()
        keysMayBeDue()
    }

    /// Begins a cycle if the store syncs by itself and shared zones have keys: the set of their receivers may have
    /// changed.
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
        return (try await sync.zones.services(ofZoneNamed: name), zoneKeys)
    }
}
