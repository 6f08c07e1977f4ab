import Backstitch
import CloudWire

/// The shares of a store: of the user's own zones and objects, and of those that others share with the user.
public struct SyncSharing: Sendable, SyncSubject {
    let sync: SyncController

    /// Shares a zone with others: everything in it, now and later. This needs the network. Unsent changes of the zone
    /// go with the next sync.
    ///
    /// ```swift
    /// try await sync.zones.create(named: "Club")
    /// let share = try await sync.sharing.share(
    ///     zoneNamed: "Club", title: "Our list", participants: [.init(emailAddress: "bob@example.org")])
    /// send(share.url)    // Bob's program gives it to container.acceptShare(at:)
    /// ```
    /// - Parameters:
    ///   - name: The zone's name; empty for the main zone.
    ///   - title: The name shown to invited users.
    ///   - publicPermission: The rights of uninvited users with the address.
    ///   - participants: The invited users.
    /// - Returns: The share. If the zone is already shared, its share is returned unchanged.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for a zone outside the store, and in a store of the shared
    ///   database; a ``BackstitchError`` if the server cannot be reached, or refuses. If its answer was lost, the zone
    ///   may be shared. The call can be repeated.
    public func share(
        zoneNamed name: String, title: String? = nil, publicPermission: Share.Permission = .none,
        participants: [Share.Participant] = []
    ) async throws -> Share {
        try services.client.options.requireWriting()
        try services.client.options.requireOwnZones("share zones", else: "ask the owner to invite others")
        let zone = try await sync.zones.services(ofZoneNamed: name)
        let record = Share.new(title: title, publicPermission: publicPermission, participants: participants)
        return try await taking(name, zone, WireShare.zoneShareName) {
            try await zone.client.makeZone()
            if let share = try await zone.client.share() { return share }
            do { return try await zone.client.saveShare(record, as: .create) } catch {
                // Another device may have been faster.
                guard let share = try await zone.client.share() else { throw error }
                return share
            }
        }
    }

    /// Changes a share: its title, the rights of all users with the address, and its participants. A participant
    /// removed from the list takes part no more, and loses the copy.
    ///
    /// Users who came with the address alone have the rights of ``Share/publicPermission``. If it becomes none, they
    /// take part no more. A zone has one owner, always the same.
    ///
    /// - Returns: The share as it is now. New participants have their ``Share/Participant/id``.
    /// - Throws: ``BackstitchError/Code/saveConflict`` if another user has changed the share since it was read: read it
    ///   again with ``share(ofZoneNamed:)`` or ``share(ofObject:)``, and change the result.
    ///   ``BackstitchError/Code/permissionDenied`` for a participant without the role of administrator.
    ///   ``BackstitchError/Code/invalidRequest`` for a second owner, and for other rights of a user who came with the
    ///   address alone. Otherwise a ``BackstitchError`` if the server cannot be reached.
    public func update(_ share: Share) async throws -> Share {
        try services.client.options.requireWriting()
        let share = share.withInvitedGuests
        try share.check()
        let zone = try await sync.zones.services(ofZoneNamed: share.zone.name)
        return try await taking(share.zone.name, zone, share.recordName) {
            do { return try await zone.client.saveShare(share.record, as: .update) } catch let failure as SyncFailure
                where failure.isConflict
            {
                throw BackstitchError(
                    .saveConflict,
                    "the share of \(share.subject) was changed since it was read; read it again with "
                        + (share.isOfZone ? "sync.sharing.share(ofZoneNamed:)" : "sync.sharing.share(ofObject:)")
                        + " and change that",
                    cause: failure.error)
            }
        }
    }

    /// Ends the share of a zone. Everything in it stays the owner's, here and on the owner's other devices. The others
    /// lose their copies, with their unsent changes. To delete the zone as well, see ``SyncZones/delete(named:)``: it
    /// ends the share too.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for a zone outside the store, and in a store of the shared
    ///   database (see ``leave(zoneNamed:)``); a ``BackstitchError`` if the server cannot be reached. The share
    ///   may have ended there; the call can be repeated.
    public func stop(zoneNamed name: String) async throws {
        try await stop(WireShare.zoneShareName, inZoneNamed: name)
    }

    /// Ends a share, of a zone or of a single object. Everything stays the owner's, in its place. The others lose their
    /// copies, with their unsent changes, unless another share shows them the objects.
    ///
    /// ```swift
    /// if let share = try await sync.sharing.share(ofObject: trip.objectID) { try await sync.sharing.stop(share) }
    /// ```
    /// - Throws: As ``stop(zoneNamed:)``.
    public func stop(_ share: Share) async throws {
        var root: (id: ObjectID, name: String)?
        if let id = share.root, let name = try await sync.objects.recordName(of: id) { root = (id, name) }
        try await stop(share.recordName, inZoneNamed: share.zone.name, root)
    }

    private func stop(
        _ share: String, inZoneNamed name: String, _ root: (id: ObjectID, name: String)? = nil
    ) async throws {
        try services.client.options.requireWriting()
        try services.client.options.requireOwnZones(
            "end shares", else: "leave a share with sync.sharing.leave(zoneNamed:)")
        let zone = try await sync.zones.services(ofZoneNamed: name)
        do {
            _ = try await zone.noting(share) {
                try await zone.client.deleteShare(named: share)
                return nil
            }
            if let root { try await zone.takeVersion(of: root.id, named: root.name) }
            sync.encryption.keysMayBeDue()
        } catch { throw SyncFailure(any: error).error }
    }

    /// The shares of the store's zones and of single objects, in order of the zones' names. A store of the private
    /// database has the user's own shares, a store of the shared database those with the user as a participant. They
    /// are as the last sync has left them; the server is not asked.
    public func shares() async throws -> [Share] {
        let found = try await services.onWholeStore { [services] store in
            try store.readJournal { journal in
                let names = try journal.zones()
                return try journal.allZones().map { zone in
                    let own = ZoneReader(journal, zone), name = names[zone] ?? ""
                    let settings = names[zone].map { services.services(of: zone, named: $0).settings }
                    return (name, try own.allShares().map { ($0, try own.root(of: $0, settings ?? services.settings)) })
                }
            }
        }
        return found.sorted { $0.0 < $1.0 }.flatMap { name, records in
            records.compactMap { share($0.0, ofZoneNamed: name, root: $0.1) }
        }
    }

    /// The shares of the store's zones and objects, as ``shares()``, now and after each change. Examples: a user
    /// accepts or leaves, a right changes, a zone or an object is shared or is no more.
    ///
    /// ```swift
    /// for try await shares in sync.sharing.updates() { showPeople(shares) }
    /// ```
    /// A slow consumer gets the newest shares and misses those between. The sequence ends when the store is closed.
    public func updates() -> AsyncThrowingStream<[Share], any Error> {
        sync.updates { [weak sync] in try await sync?.sharing.shares() ?? [] }
    }

    /// The share of a zone, as the server has it now; nil if the zone is not shared.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for a zone outside the store; a ``BackstitchError`` if the
    ///   server cannot be reached.
    public func share(ofZoneNamed name: String) async throws -> Share? {
        try await share(named: WireShare.zoneShareName, inZoneNamed: name, root: nil)
    }

    /// Asks the server for a share.
    func share(named record: String, inZoneNamed name: String, root: ObjectID?) async throws -> Share? {
        let zone = try await sync.zones.services(ofZoneNamed: name)
        do {
            let found = try await zone.noting(record) { try await zone.client.share(named: record) }
            return found.flatMap { share($0, ofZoneNamed: name, root: root) }
        } catch let failure as SyncFailure where failure.kind == .zoneNotFound {
            // The zone is not made before the first sync.
            return nil
        } catch { throw SyncFailure(any: error).error }
    }

    /// Notes a share that the server has just given.
    ///
    /// - Parameter record: The name of its record.
    func taking(
        _ name: String, _ zone: SyncServices, _ record: String, _ work: () async throws -> WireRecord
    ) async throws -> Share {
        do {
            guard let found = try await zone.noting(record, work) else {
                throw CloudClient.violation("the server has no share \(record) of the zone \"\(name)\" any more")
            }
            let root = try await zone.onStore { [settings = zone.settings] store in
                try store.readJournal { try $0.root(of: found, settings) }
            }
            guard let share = share(found, ofZoneNamed: name, root: root) else {
                throw CloudClient.violation("the server's share of the zone \"\(name)\" has no shortGUID")
            }
            sync.encryption.keysMayBeDue()
            return share
        } catch { throw SyncFailure(any: error).error }
    }

    func share(_ record: WireRecord, ofZoneNamed name: String, root: ObjectID?) -> Share? {
        Share(record, of: sync.zones.zone(named: name), root: root, server: services.client.options.serverURL)
    }
}

extension JournalReading {
    /// The object of a share; nil for a share of a zone, and if the object is not here.
    func root(of share: WireRecord, _ settings: ApplySettings) throws -> ObjectID? {
        guard let name = share.rootName else { return nil }
        let key = RecordName.key(of: name, zone: settings.zone).key
        return try recordStates(for: [key])[key]?.objectID
    }
}

extension SyncServices {
    /// Asks for a share, or changes it, and notes the answer. If sync has moved the store meanwhile, the answer may be
    /// older than the store's share: the zone is then read again instead.
    func noting(_ name: String, _ ask: () async throws -> WireRecord?) async throws -> WireRecord? {
        let before = try await onStore { try $0.readJournal { try $0.generation() } }
        let answer = try await ask()
        let record = try await onStore { [settings] store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                let record = try answer.map(journal.withKnownRoot)
                if try journal.generation() == before {
                    _ = try journal.noteShare(record, named: name, settings)
                } else {
                    try journal.set(.moved, to: true)
                }
                return record
            }
        }
        bell.ring()
        return record
    }
}
