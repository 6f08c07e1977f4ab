import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import Logging

/// Tells devices of changes, after the commits.
struct Notifier: Sendable {
    let server: ServerContext

    /// Has every device of the subscribed users told of a commit, except the device that made it. Returns when there
    /// was room for the news; see ``PushStage``.
    func post(_ pokes: [Poke], _ scope: RequestScope) async {
        for push in StagedPush.all(pokes, scope) {
            await server.push.stage.post(push, server.configuration.runner) { push in await tell(push) }
        }
    }

    /// Waits until a push token's user was told of all commits that were acknowledged before.
    func settle(for token: StoredPushToken) async {
        func database(_ scope: DatabaseScope, _ owner: String) -> DatabaseKey {
            DatabaseKey(tenant: token.tenant, scope: scope, owner: owner)
        }
        await server.push.stage.settle([
            database(.private, token.user), database(.shared, token.user), database(.public, DatabaseKey.publicOwner),
        ])
    }

    /// Tells devices of the changes in a database: with one look at the storage, or two if subscriptions to queries
    /// must be tried.
    private func tell(_ push: StagedPush) async {
        let scope = push.scope
        do {
            var found = try await server.storage.read { reading in try look(push, reading) }
            if let owner = found.owner, found.concerned.asks {
                let fired = await queriesFired(found.concerned, push, owner)
                found = try await server.storage.read { [found] reading in
                    try address(found.concerned.fired, fired, owner, scope, reading)
                }
            }
            try await server.configuration.runner.run { [found] in try deliver(found, scope) }
        } catch {
            // The change is made all the same; clients that are not told find it when they look.
            server.configuration.logger.error("subscribers could not be notified of a change: \(error)")
        }
    }

    private func deliver(_ found: Findings, _ scope: RequestScope) throws {
        // All notifications of one look have the same id.
        let id = server.random.uuid()
        for devices in found.told.devices {
            server.push.hub.post(MailboxNews(devices.fired.map { notification(of: $0, id, scope) }), to: devices.tokens)
        }
        try post(found.told.wakes, id, scope)
        server.push.peers?.watch.note(found.watches, found.told)
        server.push.peers?.tell(found.told.users)
    }

    /// The news of subscriptions to queries. It is empty after a failure, so other subscriptions are still told.
    private func queriesFired(
        _ concerned: ConcernedSubscriptions, _ push: StagedPush, _ owner: StoredOwner
    ) async -> [FiredSubscription] {
        do { return try await fire(concerned, for: push, owner) } catch {
            server.configuration.logger.error("subscribers to queries could not be notified of a change: \(error)")
            return []
        }
    }

    /// The findings about the devices to tell of a commit.
    private struct Findings: Sendable {
        var owner: StoredOwner?
        /// The subscriptions, until a device is addressed.
        var concerned = ConcernedSubscriptions()
        var told = Addressees(ownerID: 0)
        var watches: [StoredWatch] = []
    }

    private func look(_ push: StagedPush, _ reading: ZoneSnapshot) throws -> Findings {
        guard let owner = try reading.owner(push.scope.database) else { return Findings() }
        let types = Set(push.changes.lazy.compactMap(\.record.type).map { ByteText($0) })
        var concerned = try reading.concernedSubscriptions(
            owner, zones: push.zones.map(\.string), types: types.sorted().map(\.string),
            limit: server.configuration.userQuotas.subscriptions)
        concerned.fired = Array(push.fired.union(concerned.fired))
        if concerned.asks { return Findings(owner: owner, concerned: concerned) }
        return try address(concerned.fired, [], owner, push.scope, reading)
    }

    /// The devices to tell of changes, each once, with the subscriptions that fired for it.
    ///
    /// - Parameter queries: Subscriptions to queries, once for each of their news.
    private func address(
        _ fired: [FiredSubscription], _ queries: [FiredSubscription], _ owner: StoredOwner, _ scope: RequestScope,
        _ reading: ZoneSnapshot
    ) throws -> Findings {
        let quotas = server.configuration.userQuotas
        let ofUsers = Dictionary(grouping: fired, by: \.user),
            queriesOfUsers = Dictionary(grouping: queries, by: \.user)
        let users = Set(ofUsers.keys).union(queriesOfUsers.keys)
        let due = Dictionary(
            uniqueKeysWithValues: users.map { user in
                let sorted = (ofUsers[user] ?? []).sorted { $0.subscriptionID < $1.subscriptionID }
                return (user, Array(sorted.prefix(quotas.subscriptions)) + (queriesOfUsers[user] ?? []))
            })
        let tokens =
            users.isEmpty
            ? [] : try reading.pushTokens(tenantID: owner.tenantID, users: users.sorted(), limit: quotas.pushTokens)
        let ofOthers = Dictionary(grouping: tokens.filter { $0.token != scope.device }, by: \.user)
        let devices = ofOthers.sorted { $0.key < $1.key }.map { user, tokens in
            UserDevices(tokens: tokens.map(\.token), fired: due[user] ?? [])
        }
        var findings = Findings(owner: owner)
        findings.told = Addressees(
            ownerID: owner.ownerID, users: users, devices: devices,
            wakes: try dueWakes(due, owner, scope, reading))
        let isWatched = server.push.peers?.watch.hasAny(of: devices.flatMap(\.tokens)) ?? false
        if isWatched { findings.watches = try reading.watches(ofUsers: Array(users)) }
        return findings
    }

    /// The notification about a fired subscription.
    func notification(of fired: FiredSubscription, _ id: String, _ scope: RequestScope) -> PushNotification {
        let subject: PushNotification.Subject =
            if let record = fired.record {
                .record(
                    name: record.name, change: record.change, zone: record.zone.map { scope.zoneID($0).bare })
            } else {
                fired.zone.map { .zone(scope.zoneID($0).bare) } ?? .database
            }
        return PushNotification(
            container: scope.container, notificationID: id, userRecordName: fired.user,
            subscriptionID: fired.subscriptionID, subject: subject, databaseScope: scope.database.scope.rawValue)
    }
}
