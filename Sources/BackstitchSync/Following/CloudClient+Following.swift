import Backstitch
import BackstitchSupport
import CloudWire

extension CloudClient {
    /// Reads a page of a query's records, in the order of modification.
    ///
    /// - Parameter since: The earliest modification (milliseconds since 1970); nil for all.
    /// - Parameter marker: The mark from the page before.
    func records(of query: RecordQuery, since: Int64?, after marker: String?) async throws -> QueriedPage {
        var query = query
        if let since {
            query.filterBy.append(
                QueryFilter(systemFieldName: Self.modification, .greaterThanOrEquals, .timestamp(since)))
        }
        query.sortBy = [QuerySort(systemFieldName: Self.modification)]
        let response = try await askForPage(RecordsQueryResponse.self, .recordsQuery) {
            RecordsQueryRequest(zoneID: zone, query: query, resultsLimit: $0, continuationMarker: marker)
        } count: {
            $0.records.count
        }
        let records = try response.records.map { result in
            switch result {
            case .record(let record): return record
            case .error(let error): throw failure(of: error.error, .recordsQuery)
            }
        }
        guard response.continuationMarker == nil || response.continuationMarker != marker else {
            throw Self.violation("the server does not say where its next page of records begins")
        }
        guard records.allSatisfy({ !$0.recordName.isEmpty && $0.recordType == query.recordType && !$0.deleted }) else {
            throw Self.violation("the server's answer to a query has a record that it did not ask for")
        }
        return QueriedPage(
            records: records, marker: response.continuationMarker,
            latest: records.compactMap(\.modified?.timestamp).max() ?? 0)
    }

    /// Asks for the present position of some queries' feed, or reads a page of the feed.
    func changes(of queries: [FollowedQuery], after token: String?) async throws -> QueryChangesResponse {
        let answer = try await askForPage(QueryChangesResponse.self, .changesQuery) {
            QueryChangesRequest(queries: queries.map(\.query), syncToken: token, resultsLimit: $0)
        } count: {
            $0.records.count
        }
        guard !answer.syncToken.isEmpty, !answer.moreComing || answer.syncToken != token else {
            throw Self.violation("the server does not say where its next page of changes begins")
        }
        guard answer.records.allSatisfy({ !$0.recordName.isEmpty }) else {
            throw Self.violation("the server's page of changes has a record without a name")
        }
        return answer
    }

    /// Asks for a page of a size that the connection can carry in time.
    private func askForPage<Answer: WireDecodable & Sendable>(
        _ answer: Answer.Type, _ endpoint: WireEndpoint, _ question: (Int) -> some WireEncodable & Sendable,
        count: (Answer) -> Int
    ) async throws -> Answer {
        let (whole, pace) = (limits.page, pace(.pages))
        let limit = pace.share(of: whole)
        do {
            let page = try await call(
                endpoint, question(limit), as: answer, timeout: pace.time(options.requestTimeout))
            changePace(.pages) { $0.succeeded(count(page), of: whole) }
            return page
        } catch var failure as SyncFailure {
            if failure.tookTooLong {
                changePace(.pages) { $0.tookTooLong(limit) }
                // A smaller page may be possible at once.
                if failure.kind == .permanent, limit > 1 { failure.kind = .busy }
            }
            throw failure
        }
    }

    /// Makes sure that there are subscriptions to queries. If the server has none for this caller, the queries are
    /// polled.
    func subscribe(to queries: [FollowedQuery]) async throws {
        try await modifySubscriptions(
            queries.map { query in
                var subscription = WireSubscription(
                    subscriptionID: options.subscriptions.query(query.id), subscriptionType: .query,
                    notificationInfo: .init(shouldSendContentAvailable: true))
                subscription.query = query.query
                return .init(.create, subscription)
            })
    }

    /// Ends the subscriptions to queries, for all devices of the user. Devices that still follow a query ask for it
    /// again within ``FollowPosition/subscriptionTime``.
    func unsubscribe(from queries: [String]) async throws {
        try await modifySubscriptions(
            queries.map { query in
                .init(
                    .delete,
                    WireSubscription(subscriptionID: options.subscriptions.query(query), subscriptionType: .query))
            })
    }

    private func modifySubscriptions(_ operations: [SubscriptionsModifyRequest.Operation]) async throws {
        for part in operations.parts(of: limits.operations) {
            do {
                let response = try await call(
                    .subscriptionsModify, SubscriptionsModifyRequest(operations: Array(part)),
                    as: SubscriptionsResponse.self)
                for case .error(_, let error) in response.subscriptions {
                    try allow(failure(of: error, .subscriptionsModify))
                }
            } catch let failure as SyncFailure {
                try allow(failure)
            }
        }
    }

    /// An anonymous reader of the public database has no subscriptions. A permanent refusal is accepted too.
    private func allow(_ failure: SyncFailure) throws {
        if failure.kind == .authentication, isAnonymous { return }
        if failure.isPassing && failure.kind != .noRoom || failure.kind == .authentication { throw failure }
    }

    private static let modification = "modifiedTimestamp"
}

extension SyncFailure {
    /// The server's reason for a permanent refusal; nil for other failures.
    var refusal: String? {
        guard kind == .permanent, let error = error.cause as? WireError else { return nil }
        switch error.code {
        case .badRequest, .accessDenied, .notFound: return error.description
        default: return nil
        }
    }
}
