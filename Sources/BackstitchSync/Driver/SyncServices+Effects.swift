import Backstitch

extension SyncServices {
    /// Does what an effect asks and says what came of it; nil for effects without an outcome.
    func perform(_ effect: SyncEngine.Effect) async -> SyncEngine.Event? {
        switch effect {
        case .checkAccount: .accountChecked(await outcome { try await checkAccount() })
        case .setUp: .setUpEnded(await outcome { try await setUp() })
        case .forgetZone:
            .zoneForgotten(await outcome { try await forgetZone() })
        case .forgetToken: await tokenForgotten()
        case .fetchPage(let cursor): .pageFetched(await outcome { try await fetchPage(cursor) })
        case .applyPage(let page): .pageApplied(await outcome { try await apply(page) })
        case .prepareBatch(let ceiling, let excluded):
            .batchPrepared(await outcome { try await prepare(ceiling, excluded) })
        case .sendBatch(let batch): .batchSent(await outcome { try await send(batch) })
        case .settleBatch(let batch, let reply): .batchSettled(await outcome { try await settle(batch, reply) })
        case .fetchAssets: .assetsFetched(missing: await fetchMissingAssets())
        case .registerCourier: .courierRegistered(await outcome { try await client.registerCourier() })
        case .listen: .courierAnswered(await outcome { try await client.listen() })
        case .setTimer, .cancelTimer, .report, .refuse, .cancelAll: nil
        }
    }

    /// The outcome of `work`, with any error in the form that the engine knows.
    private func outcome<Value: Sendable>(_ work: () async throws -> Value) async -> Result<Value, SyncFailure> {
        do { return .success(try await work()) } catch { return .failure(SyncFailure(any: error)) }
    }

    private func setUp() async throws {
        let incarnation = try await client.makeZone()
        try await client.subscribe()
        try await onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                try journal.setText("1", for: SyncMetadata.setUp)
                // With a token in the store it belongs to an earlier life of the zone, which shall show; so shall one that is known.
                if try journal.metadata(for: SyncMetadata.token) == nil,
                    try journal.metadata(for: SyncMetadata.incarnation) == nil
                {
                    try journal.setText(incarnation, for: SyncMetadata.incarnation)
                }
            }
        }
    }

    private func tokenForgotten() async -> SyncEngine.Event {
        do { return try await forgetToken() ? .zoneForgotten(.success(())) : .tokenForgotten(.success(())) } catch {
            return .tokenForgotten(.failure(SyncFailure(any: error)))
        }
    }

    private func fetchPage(_ cursor: SyncEngine.Cursor) async throws -> FetchedPage {
        let token: String?
        switch cursor {
        case .stored: token = try await onStore { [sweep] in try $0.beginPull(sweep) }
        case .token(let next): token = next
        }
        let page = try await client.changes(after: token)
        if token == nil { try await assureSameZone() }
        return page
    }

    /// What is read from its beginning is not refused where another zone has come into the place of the known one: there what was sent
    /// would be taken for sent, and what a full fetch does not find for deleted.
    private func assureSameZone() async throws {
        let known = try await onStore { try $0.readJournal { try $0.text(for: SyncMetadata.incarnation) } }
        guard let known, let now = try await client.incarnation(), now != known else { return }
        throw SyncFailure(
            .zoneNotFound,
            BackstitchError(.network, "the zone was deleted while it was read, and another one has its name"))
    }

    private func apply(_ page: FetchedPage) async throws -> AppliedChanges {
        try await resolving { settings in
            let applier = PageApplier(settings: settings, sweep: sweep, clock: clock)
            return try await onStore { store in
                let applied = try applier.apply(page, to: store)
                announce(applied.changes)
                return applied
            }
        }
    }

    private func prepare(_ ceiling: Int?, _ excluded: Set<ObjectKey>) async throws -> PreparedBatch {
        let builder = batchBuilder
        return try await onStore { try builder.prepare(from: $0, ceiling: ceiling, excluding: excluded) }
    }

    private func settle(_ batch: PushBatch, _ reply: PushReply) async throws -> SettledBatch {
        try await resolving { settings in
            let settler = BatchSettler(settings: settings, clock: clock)
            return try await onStore { store in
                let settled = try settler.settle(batch, reply, in: store)
                announce(settled.news.changes)
                return settled
            }
        }
    }
}

extension SyncFailure {
    /// The failure that an error means.
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
