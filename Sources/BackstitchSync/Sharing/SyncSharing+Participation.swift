import Backstitch
import CloudWire
public import Foundation

// Participation in the shares of others.
extension SyncSharing {
    /// Shows the share of an address before it is accepted.
    ///
    /// - Throws: ``BackstitchError/Code/permissionDenied`` for a user without an invitation;
    ///   ``BackstitchError/Code/invalidRequest`` if the address has no share (any more), or its database or main zone
    ///   is not the store's; a ``BackstitchError`` if the server cannot be reached.
    public func share(at url: URL) async throws -> Share {
        try await look(at: url).share
    }

    /// A share before it is accepted, with the server's answer about it.
    private func look(at url: URL) async throws -> (share: Share, resolved: ResolvedShare) {
        do {
            let resolved = try await services.client.resolveShare(ShareAddress(url))
            let name = try name(of: resolved, url)
            guard let share = share(resolved.share, ofZoneNamed: name, root: try await root(of: resolved, name)) else {
                throw CloudClient.violation("the server's answer for \(url.absoluteString) has no valid share")
            }
            return (share, resolved)
        } catch { throw SyncFailure(any: error).error }
    }

    /// Accepts a share of another user. From now on its zone is one of the store's zones. Its objects come with the
    /// next sync. If the store syncs by itself, this sync begins at once.
    ///
    /// ```swift
    /// let share = try await container.acceptShare(at: url)    // finds the store of the shared database
    /// ```
    /// To accept a share again changes nothing. The option ``Backstitch/StoreOption/syncReadOnly`` concerns objects
    /// only: shares can still be accepted and left.
    ///
    /// - Parameter url: The address, as in the owner's ``Share/url``.
    /// - Throws: As ``share(at:)``, and ``BackstitchError/Code/invalidRequest`` in a store of the private database and
    ///   for the user's own zone. Nothing is accepted then.
    @discardableResult
    public func accept(at url: URL) async throws -> Share {
        guard !hasMainZone else {
            throw BackstitchError(
                .invalidRequest,
                "a store of the \(services.client.options.database.rawValue) database holds no zones of others; open one with the option syncDatabase: "
                    + "\"shared\", and accept the share there")
        }
        let (known, found) = try await look(at: url)
        do {
            let client = services.client
            let key = await services.zoneKeys?.ownKey()
            // CloudKit refuses a second acceptance. This project's server then takes the public key.
            let isAccepted = found.participantStatus == .accepted && !client.hasExtensions
            let resolved = isAccepted ? found : try await client.acceptShare(ShareAddress(url), key: key)
            try await services.take(resolved, named: known.zone.name, key)
            driver.tell(.trigger(.localSave, ticket: nil))
            let root = try await root(of: resolved, known.zone.name)
            return share(resolved.share, ofZoneNamed: known.zone.name, root: root) ?? known
        } catch { throw SyncFailure(any: error).error }
    }

    /// Leaves a share, of a zone or of a single object. Objects that no other share shows to this user are removed from
    /// this device and from the user's other devices. Nothing of the owner's changes. For the share of an object this
    /// is a sync: changes allowed by the user's other shares of the zone are sent first, and stay.
    ///
    /// ```swift
    /// if let share = try await container.shares(matching: [trip.objectID])[trip.objectID] {
    ///     try await sync.sharing.leave(share)
    /// }
    /// ```
    /// - Returns: The unsent changes. They are lost.
    /// - Throws: As ``leave(zoneNamed:)``.
    @discardableResult
    public func leave(_ share: Share) async throws -> [RevertedChange] {
        guard !share.isOfZone, !hasMainZone else { return try await leave(zoneNamed: share.zone.name) }
        // The user may have accepted other shares of the zone. This device may not know them yet.
        let zone = try await sync.zones.services(ofZoneNamed: share.zone.name)
        do { try await zone.client.deleteShare(named: share.recordName) } catch { throw SyncFailure(any: error).error }
        return try await sync.sync().reverted
    }

    /// Leaves all shares of a zone. The zone is removed from this device, with its unsent changes, and from the user's
    /// other devices. Nothing of the owner's changes.
    ///
    /// - Returns: The unsent changes. They are lost.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for a zone outside the store, and in a store of the private
    ///   database (see ``stop(zoneNamed:)``). Otherwise a ``BackstitchError`` if the server cannot be reached.
    ///   The participation may have ended there, and the call can be repeated.
    @discardableResult
    public func leave(zoneNamed name: String) async throws -> [RevertedChange] {
        guard !hasMainZone else {
            throw BackstitchError(
                .invalidRequest,
                "zones of the \(services.client.options.database.rawValue) database belong to the user; end the "
                    + "user's own share with sync.sharing.stop(zoneNamed:)"
            )
        }
        return try await sync.zones.leave(named: name).reverted
    }

    /// The store's name for the shared zone.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if the store cannot hold the shared zone.
    private func name(of resolved: ResolvedShare, _ url: URL) throws -> String {
        guard (resolved.databaseScope == .private) == hasMainZone else {
            throw BackstitchError(
                .invalidRequest,
                hasMainZone
                    ? "\(url.absoluteString) is the address of another user's zone; ask the store of the shared "
                        + "database"
                    : "\(url.absoluteString) is the address of the user's own zone, which is in the private database"
            )
        }
        let names = services.client.names
        if hasMainZone, resolved.zoneID.zoneName == names.main { return "" }
        guard let name = names.inProgram(resolved.zoneID) else {
            throw BackstitchError(
                .invalidRequest,
                "\(url.absoluteString) shares the zone \"\(resolved.zoneID.zoneName)\", and the store holds \"\(names.main)\" and "
                    + "zones whose names begin with \"\(names.main).\" (option syncZoneName)")
        }
        return name
    }

    /// The shared object, if it is already here.
    private func root(of resolved: ResolvedShare, _ name: String) async throws -> ObjectID? {
        guard resolved.share.rootName != nil else { return nil }
        return try await services.onWholeStore { [services] store in
            try store.readJournal { journal in
                let zone = name.isEmpty ? nil : try journal.zones().first { $0.value == name }?.key
                let settings = zone.map { services.services(of: $0, named: name).settings } ?? services.settings
                return name.isEmpty || zone != nil ? try journal.root(of: resolved.share, settings) : nil
            }
        }
    }
}

extension SyncServices {
    /// Adds a shared zone to the store.
    ///
    /// - Parameter key: The user's public key, if it was told.
    fileprivate func take(
        _ resolved: ResolvedShare, named name: String, _ key: SharePublicKey?
    ) async throws {
        try await onWholeStore { [settings] store in
            // A running cycle may just have heard of the end of an earlier participation. After this it removes
            // nothing.
            try settings.generation.reset(store) { journal in
                let known = try journal.zones().first { $0.value == name }?.key
                let zone = try known ?? addZone(named: name, journal)
                let writer = ZoneWriter(journal, zone)
                try writer.set(.moved, to: true)
                try writer.set(.gone, to: false)
                if let key, resolved.share.share?.currentUserParticipant?.publicKey == key.wireText {
                    try writer.set(.toldKey, to: key.wireText)
                }
                var settings = settings
                (settings.isOfOthers, settings.zoneNumber) = (true, zone)
                settings.zone = client.names.place(of: client.names.onServer(name))
                let share = resolved.share
                if known == nil {
                    _ = try writer.noteShare(share, named: share.recordName, settings)
                } else if let root = share.rootName {
                    // If the zone was read before, its next page brings the share, perhaps a newer one. But no page
                    // tells again of a root that was visible before.
                    _ = try writer.noteRoot(root, ofShareNamed: share.recordName, settings)
                }
            }
        }
        bell.ring()
    }
}
