import Backstitch

extension SyncServices {
    /// Carries out an effect and returns its result as an event; nil for effects without a result.
    func perform(_ effect: SyncEngine.Effect) async -> SyncEngine.Event? {
        switch effect {
        case .inZone(let zone, let effect): await perform(effect, in: zone)
        case .askConnectivity(let reason):
            .connectivityAsked(await outcome { try await requireConnection(for: reason) })
        case .lookAtZones(let asksServer): .zonesFound(await outcome { try await lookAtZones(asksServer: asksServer) })
        case .openZones(let zones): .zonesOpened(await outcome { try await openZones(zones) })
        case .fetchPages(let cursors): .pagesFetched(await outcome { try await fetchPages(cursors) })
        case .applyPages(let pages): .pagesApplied(await outcome { try await apply(pages) })
        case .settleMoves: .movesSettled(await outcome { try await settleMoves() })
        case .noteFirstSync: await noteFirstSync()
        case .checkAccount: .accountChecked(await outcome { try await checkAccount() })
        case .setUp: .setUpEnded(await outcome { try await setUp() })
        case .forgetZone: await zoneForgotten()
        case .forgetToken: await tokenForgotten()
        case .fetchPage(let cursor): .pageFetched(await outcome { try await fetchPage(cursor) })
        case .applyPage(let page): .pageApplied(await outcome { try await apply(page) })
        case .prepareBatch(let ceiling, let excluded, let onlyDeletions):
            .batchPrepared(await outcome { try await prepare(ceiling, excluded, onlyDeletions) })
        case .sendBatch(let batch): .batchSent(await outcome { try await sendToZone(batch) })
        case .takeBackAttempts(let attempts): .attemptsTakenBack(await outcome { try await takeBack(attempts) })
        case .settleBatch(let batch, let reply): .batchSettled(await outcome { try await settle(batch, reply) })
        case .fetchAssets: await assetsFetched()
        case .uploadAsset(let held): .assetUploaded(held, await upload(held))
        case .registerPushListener: .pushListenerRegistered(await whenConnected { try await $0.registerPushListener() })
        case .listen: .pushListenerAnswered(await whenConnected { try await $0.listen() })
        case .setTimer, .cancelTimer, .report, .refuse, .stopUploads, .forgetUploads, .cancelAll: nil
        }
    }

    private func assetsFetched() async -> SyncEngine.Event {
        let (missing, wait) = await fetchMissingAssets()
        return .assetsFetched(missing: missing, wait: wait)
    }

    private func perform(_ effect: SyncEngine.Effect, in zone: Int64) async -> SyncEngine.Event? {
        do {
            if let services = try await services(of: zone) { return await services.perform(effect) }
            // The program, or another process, has removed the zone meanwhile.
            return .zoneDropped(.success(AppliedChanges()))
        } catch { return .zoneDropped(.failure(SyncFailure(any: error))) }
    }

    private func zoneForgotten() async -> SyncEngine.Event {
        do { return try await forgetZone() } catch { return .zoneForgotten(.failure(SyncFailure(any: error))) }
    }

    /// Records the end of the first sync. If the store cannot be written, the next cycle records it.
    private func noteFirstSync() async -> SyncEngine.Event? {
        try? await onWholeStore { try $0.writeJournal(author: SyncAuthor.name) { try $0.set(.firstSync, to: true) } }
        return nil
    }

    /// Returns the result of `work`, with any error converted to the engine's type.
    private func outcome<Value: Sendable>(_ work: () async throws -> Value) async -> Result<Value, SyncFailure> {
        do { return .success(try await work()) } catch { return .failure(SyncFailure(any: error)) }
    }

    /// Returns the result of waiting for notifications, if the program permits it.
    private func whenConnected<Value: Sendable>(
        _ work: (CloudClient) async throws -> Value
    ) async -> Result<Value, SyncFailure> {
        await outcome {
            try await requireConnection(for: .push)
            return try await work(client)
        }
    }

    func requireConnection(for reason: SyncReason) async throws {
        guard let connectivity, await !connectivity.maySync(for: reason) else { return }
        let message =
            connectivity is NetworkGate
            ? "this machine has no network, according to the NetworkMonitor (\(reason))"
            : "the program's SyncConnectivity says that the network may not be used now (\(reason))"
        throw SyncFailure(
            .noConnection,
            BackstitchError(.network, message + "; changes are kept, and are sent when the network may be used"))
    }

    private func setUp() async throws {
        guard !settings.isPublic else { return try await noteSetUp(incarnation: nil, .unknown) }
        let isMain = settings.zoneNumber == 0
        // The shared database has no main zone: only the subscription for the other zones is created there.
        let hasZone = !isMain || client.options.database.hasMainZone
        let incarnation = hasZone ? try await client.makeZone() : nil
        let mark =
            isMain && hasZone
            ? try await client.subscribe(mark: settings.generator.next().uuidString)
            : try await client.subscribeToDatabase()
        try await noteSetUp(incarnation: incarnation, mark)
    }

    private func noteSetUp(incarnation: String?, _ mark: ZoneLife) async throws {
        try await onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { try $0.noteSetUp(incarnation: incarnation, mark) }
        }
    }

    private func tokenForgotten() async -> SyncEngine.Event {
        do { return try await forgetToken() } catch { return .tokenForgotten(.failure(SyncFailure(any: error))) }
    }

    private func fetchPage(_ cursor: SyncEngine.Cursor) async throws -> FetchedPage {
        let start =
            switch cursor {
            case .stored:
                try await startingWithKeys {
                    if settings.zoneNumber == 0 { reading.mainZoneIsRead() }
                    return try await onStore { [sweep, settings] in try $0.beginPull(sweep, settings.generation) }
                }
            case .token(let next): PullStart(token: next, comesAfterOthers: false)
            }
        if start.comesAfterOthers { further.endSweeps(but: settings.zoneNumber) }
        var page =
            settings.isPublic
            ? try await followedPage(after: start.token, isBeginning: cursor == .stored)
            : try await client.changes(after: start.token, countsRecords: cursor == .stored)
        if start.token == nil, !settings.isPublic { try await assureSameZone() }
        page.comesAfterOthers = settings.generation.takeMoved()
        return page
    }

    /// Throws when another zone has replaced the known one. The server does not refuse a read from the beginning then.
    /// Changes that were sent to the known zone would wrongly count as sent. A full fetch would delete the objects that
    /// it does not find.
    private func assureSameZone() async throws {
        let known = try await onStore { try $0.readJournal { try $0.knownLife() } }
        guard known != KnownLife() else { return try await assureKnownRecords() }
        guard known.isOver(try await client.life()) else { return }
        throw SyncFailure.otherZone("the zone was deleted while it was read, and another one has its name")
    }

    /// Recognises the zone by its records, if its incarnation is unknown. The records are read without their fields
    /// before any of them is applied. Otherwise older values of another incarnation would replace values that only this
    /// device has.
    private func assureKnownRecords() async throws {
        guard try await onStore({ try $0.readJournal { try $0.hasKnownRecords() } }) else { return }
        let news = RemoteChange.list(try await client.recordsWithoutFields(), zone: settings.zone)
        try await onStore { store in
            try store.readJournal { journal in
                try journal.requireKnownRecords(among: Set(news.map(\.key)))
                try journal.requireAnchors(among: news)
            }
        }
    }

    private func apply(_ page: FetchedPage) async throws -> AppliedChanges {
        var applied = try await offering([(self, page)]) { try await applyRecords(of: page) }
        if applied.awaitsBytes, settings.model.hasLargeColumns { applied.add(try await bringLargeValues()) }
        return applied
    }

    private func applyRecords(of page: FetchedPage) async throws -> AppliedChanges {
        try await resolving { settings in
            let applier = PageApplier(settings: settings, sweep: sweep, clock: clock)
            return try await onStore { store in
                let applied = try applier.apply(page, to: store)
                announce(applied.changes)
                reading.note(applied, inZone: settings.zoneNumber)
                // The sync state of the parked objects, and the rights to objects, have changed too.
                if !applied.parked.isEmpty || applied.hasNewRights { bell.ring() }
                return applied
            }
        }
    }

    private func prepare(
        _ ceiling: BatchCeiling?, _ excluded: Set<ObjectKey>, _ onlyDeletions: Bool
    ) async throws -> PreparedBatch {
        try await dropUnwantedUploads()
        let builder = batchBuilder
        let ceiling = client.batchCeiling.lower(ceiling)
        // Keys need free quota; deletions do not.
        if !onlyDeletions { try await tendZoneKeys() }
        await settings.ring?.askForCurrent()
        var prepared = try await askingForKeys {
            try await onStore { store in
                let prepared = try builder.prepare(
                    from: store, ceiling: ceiling, excluding: excluded, onlyDeletions: onlyDeletions)
                announce(prepared.changes)
                return prepared
            }
        }
        prepared.uploads = hold(prepared.heldBack)
        return prepared
    }

    private func takeBack(_ attempts: [PushAttempt]) async throws {
        try await onStore { [settings] store in
            try settings.generation.write(to: store, isStep: false) { try $0.takeBack(attempts) }
        }
    }

    private func sendToZone(_ batch: PushBatch) async throws -> PushReply {
        bell.begin(batch.keys)
        do { return try await completingConflicts(of: withRecordsOfDenied(send(batch), of: batch)) } catch let failure
            as SyncFailure
            where failure.kind == .zoneNotFound
        {
            bell.settled(batch.keys)
            // The records of this push and of earlier ones were deleted with the zone. A record in the next zone
            // belongs to another push.
            try await onStore { [settings] store in
                try settings.generation.write(to: store, isStep: false) { journal in
                    try journal.remove(.unanswered)
                    try journal.remove(.inFlight)
                }
            }
            throw failure
        } catch {
            bell.settled(batch.keys)
            throw error
        }
    }

    private func settle(_ batch: PushBatch, _ reply: PushReply) async throws -> SettledBatch {
        defer { bell.settled(batch.keys) }
        return try await resolving { settings in
            let settler = BatchSettler(settings: settings, clock: clock, time: time)
            return try await onStore { store in
                let settled = try settler.settle(batch, reply, in: store)
                announce(settled.news.changes)
                reading.note(settled.news, inZone: settings.zoneNumber)
                return settled
            }
        }
    }
}

extension SyncFailure {
    /// Converts an error into a failure of sync.
    init(any error: any Error) {
        switch error {
        case let failure as SyncFailure: self = failure
        case let error as BackstitchError: self.init(.permanent, error)
        case is CancellationError:
            self.init(.permanent, BackstitchError(.cancelled, "sync was stopped before it had ended"))
        default:
            self.init(
                .permanent, BackstitchError(.storeFailure, "sync could not go on with the store", cause: error))
        }
    }
}
