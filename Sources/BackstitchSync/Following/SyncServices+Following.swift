import Backstitch
import CloudWire

extension SyncServices {
    /// The next page of the followed queries. A page has records of one query, or of the feed. Its token is the
    /// position of all queries together.
    ///
    /// - Parameter isBeginning: Whether it is the first page of a pull.
    func followedPage(after token: String?, isBeginning: Bool) async throws -> FetchedPage {
        let queries = try await followedQueries()
        var position = try FollowPosition(token)
        if isBeginning {
            let now = time.milliseconds()
            try await client.unsubscribe(from: position.beginPull(of: queries, at: now))
            let overdue = position.unsubscribed(of: queries, at: now)
            try await client.subscribe(to: overdue)
            for query in overdue { position.places[query.id, default: .init()].subscribed = now }
            follows.keepOnly(Set(position.places.keys))
        }
        var page = FetchedPage(base: token, token: nil, moreComing: false, records: [])
        if isBeginning { page.rights = try await publicRights() }
        let late = isBeginning ? try await lateRecords() : []
        while page.followed == nil, let step = position.nextStep(of: queries, hasExtensions: client.hasExtensions) {
            page.followed = try await take(step, of: queries, &position, &page.records)
        }
        let names = Set(page.records.map(\.recordName))
        page.records += late.filter { !names.contains($0.recordName) }
        page.token = try position.text
        page.moreComing = position.nextStep(of: queries, hasExtensions: client.hasExtensions) != nil
        return page
    }

    /// The queries of the store's followed requests. A request without an entity in the model has none.
    private func followedQueries() async throws -> [FollowedQuery] {
        try await onStore { [settings] store in
            try store.readJournal { try $0.followedQueries(settings.model) }
        }
    }

    /// Takes one step of a pull.
    ///
    /// - Returns: Nil if there is no page yet.
    private func take(
        _ step: FollowPosition.Step, of queries: [FollowedQuery], _ position: inout FollowPosition,
        _ records: inout [WireRecord]
    ) async throws -> FollowedNews? {
        switch step {
        case .open:
            try await openFeed(of: queries, &position)
            return nil
        case .read(let query): return try await read(query, &position, &records)
        case .feed(let token): return try await readFeed(after: token, of: queries, &position, &records)
        case .sweep: return sweep(queries, &position)
        }
    }

    /// Asks for the present position of the feed, before the objects are read.
    private func openFeed(of queries: [FollowedQuery], _ position: inout FollowPosition) async throws {
        do {
            let answer = try await client.changes(of: queries.filter(position.isAnswered), after: nil)
            position.readAgain()
            position.feed = answer.syncToken
        } catch let failure as SyncFailure where failure.refusal != nil {
            // If the queries are read one by one, each shows whether it is the refused one.
            position.isFeedless = true
        }
    }

    private func readFeed(
        after token: String, of queries: [FollowedQuery], _ position: inout FollowPosition,
        _ records: inout [WireRecord]
    ) async throws -> FollowedNews? {
        do {
            let answer = try await client.changes(of: queries.filter(position.isAnswered), after: token)
            records = answer.records
            noteMet(records)
            position.feed = answer.syncToken
            position.isFed = !answer.moreComing
            var news = position.news(of: queries)
            news.unmatched = answer.unmatched
            return news
        } catch let failure as SyncFailure where failure.refusal != nil {
            // A second refusal, with a fresh token, is not caused by the token.
            guard !position.isReopened else {
                throw SyncFailure(.busy, failure.error, retryAfter: failure.retryAfter)
            }
            position.readAgain()
            position.isReopened = true
            return nil
        }
    }

    /// Reads a page of all records of a query, or of its recent modifications.
    private func read(
        _ query: FollowedQuery, _ position: inout FollowPosition, _ records: inout [WireRecord]
    ) async throws -> FollowedNews? {
        let now = time.milliseconds()
        var place = position.places[query.id] ?? FollowPosition.Place()
        try await beginReading(query, &place)
        if place.marker == nil { place.from = place.isReading ? nil : place.since - FollowPosition.overlap }
        do {
            let page = try await client.records(of: query.query, since: place.from, after: place.marker)
            records = page.records
            noteMet(records)
            place.marker = page.marker
            place.since = max(place.since, page.latest)
            if page.marker == nil {
                if place.isReading, let pass = place.pass { position.unswept[query.id] = pass }
                if place.isReading { place.checked = now }
                (place.isReading, place.isAsked, place.pass) = (false, true, nil)
            }
        } catch let failure as SyncFailure where failure.refusal != nil {
            // The mark may have expired.
            if place.marker != nil {
                place.readAgain()
            } else {
                (place.refusal, place.refused) = (failure.refusal, now)
            }
            position.places[query.id] = place
            return nil
        }
        position.places[query.id] = place
        return FollowedNews()
    }

    private func noteMet(_ records: [WireRecord]) {
        follows.add(RemoteChange.list(records, zone: settings.zone).filter { $0.record != nil }.map(\.key))
    }

    /// Begins a reading of everything, or continues one. If a reading may lead to deletions, and was not recorded from
    /// its beginning, it begins again.
    private func beginReading(_ query: FollowedQuery, _ place: inout FollowPosition.Place) async throws {
        guard place.isReading else { return }
        if let pass = place.pass, !follows.knows(query.id, pass: pass) { place.readAgain() }
        guard place.marker == nil else { return }
        let isEmpty = try await onStore { store in
            try store.readJournal { try $0.allKeys(of: query.entity.entity).isEmpty }
        }
        guard !isEmpty else { return }
        let pass = time.milliseconds()
        place.pass = pass
        follows.begin(query.id, pass: pass)
    }

    private func sweep(_ queries: [FollowedQuery], _ position: inout FollowPosition) -> FollowedNews? {
        var news = position.news(of: queries)
        for query in queries {
            guard let pass = position.unswept[query.id] else { continue }
            if follows.knows(query.id, pass: pass) {
                news.swept.append((query, follows.met(by: query.id)))
            } else {
                position.places[query.id]?.readAgain()
            }
        }
        position.unswept = [:]
        return news.swept.isEmpty ? nil : news
    }

    /// Starts to read everything again, because the server no longer accepts the token. Nothing here is lost.
    func readFollowedAgain() async throws {
        try await onStore { [settings] store in
            try settings.generation.reset(store, isAsked: false) { journal in
                guard let token = try journal.value(of: .token) else { return }
                var position = try FollowPosition(token)
                position.readAgain()
                try journal.set(.token, to: try position.text)
            }
        }
    }
}

extension FollowPosition {
    fileprivate func news(of queries: [FollowedQuery]) -> FollowedNews {
        FollowedNews(
            queries: queries.filter(isAnswered), unanswered: queries.filter { !isAnswered($0) })
    }
}

extension JournalReading {
    /// The queries of the store's followed requests, each once. A request has no query if the present model lacks its
    /// entity, or if it cannot be translated.
    func followedQueries(_ model: SyncedModel) throws -> [FollowedQuery] {
        var known: Set<String> = []
        return try followedRequests().flatMap { (try? FollowedQuery.queries(of: $0, in: model)) ?? [] }
            .filter { known.insert($0.id).inserted }
    }
}
