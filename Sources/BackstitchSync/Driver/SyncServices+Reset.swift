import Backstitch
import BackstitchSupport
import CloudWire

extension SyncServices {
    /// Compares the signed-in user with the owner of the store's data.
    ///
    /// - Returns: Whether everything begins again, because it is another user.
    func checkAccount() async throws -> Bool {
        let tokens = client.keeper.replacement
        let isAnother = try await compareAccount()
        client.keeper.noteAccount(of: tokens)
        if !isAnother { try await unblockUnauthorized() }
        return isAnother
    }

    /// Unblocks changes that a former token was not allowed to make, if the present token allows changes.
    private func unblockUnauthorized() async throws {
        let isAny = try await onWholeStore { try $0.readJournal { try !$0.subjects(of: .unauthorized).isEmpty } }
        guard isAny, try await client.mayChangeAnything() else { return }
        try await onWholeStore { store in
            try store.writeJournal(author: SyncAuthor.name) { try $0.unblock(.unauthorized) }
        }
        bell.ring()
    }

    private func compareAccount() async throws -> Bool {
        let known = try await onStore { try $0.readJournal { try $0.value(of: .account) } }
        guard client.isSignedIn else {
            guard let known else { return false }
            if await resets.action(for: .signedOut(from: known)) == .wipe { try await wipe(from: known) }
            throw SyncFailure(
                .authentication,
                BackstitchError(
                    .authentication, "\(known) has signed out; call setCredentials with a user's token to go on"))
        }
        guard let user = try await client.user(), user != known else { return false }
        if let known {
            try await leaveAccount(known, for: user)
            return true
        }
        try await onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { try $0.set(.account, to: user) }
        }
        return false
    }

    /// Handles the loss of the zone: finds the reason, and follows the policy.
    func forgetZone() async throws -> SyncEngine.Event {
        guard settings.zoneNumber == 0 else { return try await forgetFurtherZone() }
        let reason = try? await client.deletionReason()
        try await reset(reason == .purged ? .zonePurged : .zoneDeleted)
        return .zoneForgotten(.success(()))
    }

    /// Handles the loss of a further zone. Another one may have its name by now.
    private func forgetFurtherZone() async throws -> SyncEngine.Event {
        // A zone of another user cannot be created again.
        guard client.options.database.hasMainZone else {
            return .zoneDropped(.success(try await dropZone(isAsked: false)))
        }
        // The server reported this loss before, so no step is running in the zone. The removal of the previous zone may
        // have changed the store.
        if try await onStore({ try $0.readJournal { try $0.has(.gone) } }) { try await takeStoreAsItIs() }
        switch await resets.action(for: .furtherZoneDeleted(name)) {
        case .keep:
            try await onStore { [settings] in
                try $0.forgetZone(settings.model, keepsDeletions: true, settings.generation, isAsked: false)
            }
            return .zoneForgotten(.success(()))
        case .wipe: return .zoneDropped(.success(try await dropZone(isAsked: false)))
        case .stop: throw stopped(.furtherZoneDeleted(name))
        }
    }

    /// Forgets a zone that is gone from the server, with all its objects here, and tells contexts.
    ///
    /// - Returns: The deleted objects, and those with changes that the server does not have.
    func dropZone(isAsked: Bool) async throws -> AppliedChanges {
        let dropped = try await onWholeStore { [settings] in
            try $0.dropZone(
                settings.zoneNumber, settings.model, settings.generation, isAsked: isAsked,
                isOfOthers: settings.isOfOthers)
        }
        further.forget(settings.zoneNumber)
        further.endSweeps()
        announce(dropped.changes)
        bell.ring()
        return dropped
    }

    /// Handles a refused token: reads everything again, or follows the policy if it is another zone.
    func forgetToken() async throws -> SyncEngine.Event {
        if settings.isPublic {
            try await readFollowedAgain()
            return .tokenForgotten(.success(()))
        }
        let known = try await onStore { try $0.readJournal { try $0.knownLife() } }
        if known != KnownLife(), known.isOver(try await client.life()) {
            guard settings.zoneNumber == 0 else { return try await forgetFurtherZone() }
            try await reset(.zoneReset)
            return .zoneForgotten(.success(()))
        }
        try await onStore { [sweep, settings] in
            try $0.beginFullFetch(.missed, sweep, settings.generation, isAsked: false)
        }
        return .tokenForgotten(.success(()))
    }

    /// Handles the sign-in of another user. The former user's own objects may be sent to that user; objects of others
    /// never are.
    private func leaveAccount(_ former: String, for user: String) async throws {
        let reset = SyncReset.accountChanged(from: former, to: user)
        switch client.options.database == .private ? await resets.action(for: reset) : .wipe {
        case .keep:
            try await onWholeStore { [settings] in
                try $0.forgetZones(settings.model, settings.generation, account: .init(former: former, next: user))
            }
        case .wipe: try await wipe(from: former, for: user)
        case .stop: throw stopped(reset)
        }
    }

    /// Handles a main zone that was replaced or deleted.
    private func reset(_ reset: SyncReset) async throws {
        switch await resets.action(for: reset) {
        case .keep:
            try await onStore { [settings] in
                try $0.forgetZone(settings.model, keepsDeletions: true, settings.generation, isAsked: false)
            }
        case .wipe: try await wipeZone()
        case .stop: throw stopped(reset)
        }
    }

    private func stopped(_ reset: SyncReset) -> SyncFailure {
        SyncFailure(
            .stopped,
            BackstitchError(
                .syncPaused,
                "sync has stopped: \(reset). The local objects are unchanged; call resume(taking: .keep) to send "
                    + "them, or resume(taking: .wipe) to replace them with the server's"))
    }

    /// Removes all objects of the zone from this device, and tells contexts.
    private func wipeZone() async throws {
        let gone = try await onStore { [settings, sweep] store in
            let gone = try store.wipeZone(settings.model, settings.generation, isAsked: false)
            sweep.begin()
            return gone
        }
        announce(StoreChanges(deleted: gone))
    }

    /// Removes all objects of all zones from this device, and tells contexts.
    ///
    /// - Parameters:
    ///   - former: The user who owns the data; nil for any. If the store belongs to another user by now, nothing is
    ///     removed.
    ///   - next: The user who owns the store from now on; nil for the same.
    ///   - discardingUnsent: Whether changes that the server does not have may be lost.
    func wipe(from former: String? = nil, for next: String? = nil, discardingUnsent: Bool = true) async throws {
        let gone = try await onWholeStore { [settings, sweep] store in
            let account = former.map { ChangeOfAccount(former: $0, next: next) }
            let gone = try store.wipe(
                settings.model, settings.generation, account: account, discardingUnsent: discardingUnsent)
            sweep.begin()
            return gone
        }
        further.forgetAll()
        announce(StoreChanges(deleted: gone))
    }
}
