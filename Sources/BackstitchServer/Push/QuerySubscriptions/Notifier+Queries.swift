import Backstitch
import BackstitchSupport
import CloudWire

extension Notifier {
    /// The query subscriptions that fire for committed changes. Those that fire once end here. If devices may wait at
    /// other servers, the news is noted for them.
    func fire(
        _ concerned: ConcernedSubscriptions, for push: StagedPush, _ owner: StoredOwner
    ) async throws -> [FiredSubscription] {
        let types = Set(concerned.types.map { ByteText($0) })
        let (changes, marks) = try await server.configuration.runner.run {
            let changes = try ChangedRecords(push.changes, ofTypes: types)
            return (changes, changes.marks(of: concerned.fields))
        }
        let subscriptions = concerned.queries + (try await marked(concerned, marks, push, owner))
        let fitting = try await server.configuration.runner.run {
            var matcher = QuerySubscriptionMatcher(changes, push.scope.roles)
            matcher.allow(forRequests: push.requests)
            return try matcher.firings(of: subscriptions)
        }
        var found: [QueryFirings] = []
        for firings in fitting where try await server.users.knows(firings.subscription.user) { found.append(firings) }
        let mustNote = server.push.peers != nil || found.contains { $0.subscription.subscription.firesOnce == true }
        let told = mustNote && !found.isEmpty ? try await note(found, owner, push.scope) : found
        return told.flatMap(\.fired)
    }

    /// The query subscriptions with these marks.
    ///
    /// - Parameter marks: Nil for all subscriptions that have one.
    private func marked(
        _ concerned: ConcernedSubscriptions, _ marks: Set<SubscriptionMark>?, _ push: StagedPush, _ owner: StoredOwner
    ) async throws -> [StoredSubscription] {
        if concerned.fields.isEmpty || marks?.isEmpty == true { return [] }
        let zones = push.zones.map(\.string), types = Set(concerned.fields.map { ByteText($0.type) })
        return try await server.storage.read { reading in
            if let marks {
                return try reading.markedSubscriptions(owner, zones: zones, marks: marks.map(\.text).sorted())
            }
            return try reading.markedSubscriptions(owner, zones: zones, types: types.sorted().map(\.string))
        }
    }

    /// Ends the subscriptions that fire once, and returns the news still to be told.
    private func note(
        _ found: [QueryFirings], _ owner: StoredOwner, _ scope: RequestScope
    ) async throws -> [QueryFirings] {
        let isShared = server.push.peers != nil
        return try await server.storage.write(for: scope.user, bytes: 0) { writing in
            var told: [QueryFirings] = [], lasting: [Int] = []
            for firings in found {
                let subscription = firings.subscription.subscription
                // A subscription that was not tried on all records may still fire.
                guard subscription.firesOnce == true, firings.news != [.unnamed] else {
                    lasting.append(told.count)
                    told.append(firings)
                    continue
                }
                // If two pushes fire it at once, the one that ends it tells of it.
                let isFirst = try writing.removeSubscription(
                    owner, user: firings.subscription.user, id: subscription.subscriptionID)
                if isFirst { told.append(firings) }
            }
            if isShared {
                let counts = try writing.noteFirings(owner, lasting.map { told[$0] })
                for (place, count) in zip(lasting, counts) { told[place].count = count }
            }
            return told
        }
    }
}
