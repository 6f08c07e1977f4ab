import Backstitch
import BackstitchSupport
import CloudWire

extension SyncServices {
    /// Finds out whose zone it is.
    ///
    /// - Returns: Whether everything begins anew, since it is another user's.
    func checkAccount() async throws -> Bool {
        let tokens = client.keeper.replacement
        let isAnother = try await compareAccount()
        client.keeper.noteAccount(of: tokens)
        if !isAnother { try await unblockUnauthorized() }
        return isAnother
    }

    /// Lets changes be sent again that a former token was not for, where the one in use is for changes.
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

    /// The zone is gone: finds out why, and does what the policy says.
    func forgetZone() async throws -> SyncEngine.Event {
        guard settings.zoneNumber == 0 else { return try await forgetFurtherZone() }
        let reason = try? await client.deletionReason()
        try await reset(reason == .purged ? .zonePurged : .zoneDeleted)
        return .zoneForgotten(.success(()))
    }

    /// A zone beside the main one is gone, whether another one of its name is there by now or not.
    private func forgetFurtherZone() async throws -> SyncEngine.Event {
        // One of somebody else's cannot be made again.
        guard client.options.database.hasMainZone else {
            return .zoneDropped(.success(try await dropZone(isAsked: false)))
        }
        // Nothing is under way where the server had told of it before; the zone before this one may have gone too.
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

    /// Forgets a zone that is gone from the server, with everything that is in it here, and tells contexts.
    ///
    /// - Returns: The objects that are gone, and which of them had changes that the server does not have.
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

    /// The token is not honoured: reads everything again, or does what the policy says where it is another zone.
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

    /// Another user has signed in. Objects of the former one's own may go to that user; those of others never do.
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

    /// The main zone is another one, or none.
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
                "sync has stopped: \(reset). Everything is here as it was; call resume(taking: .keep) to send it, or "
                    + "resume(taking: .wipe) to take what the server has in its place"))
    }

    /// Removes everything of the zone that is here, and tells contexts.
    private func wipeZone() async throws {
        let gone = try await onStore { [settings, sweep] store in
            let gone = try store.wipeZone(settings.model, settings.generation, isAsked: false)
            sweep.begin()
            return gone
        }
        announce(StoreChanges(deleted: gone))
    }

    /// Removes everything that is here, of all zones, and tells contexts.
    ///
    /// - Parameters:
    ///   - former: The user whose it is; nil where that does not matter. Where the store is another one's by now,
    ///     nothing is removed.
    ///   - next: The user whose it is from now on; nil for the same.
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
