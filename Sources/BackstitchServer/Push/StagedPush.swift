import BackstitchSupport
import CloudWire

/// The news of one database that devices have not been told of yet, from one request or several.
struct StagedPush: Sendable {
    /// The name of a database among all, compared by bytes.
    struct Key: Hashable, Sendable {
        private let tenant: ByteText
        private let scope: DatabaseScope
        private let owner: ByteText

        init(_ database: DatabaseKey) {
            tenant = ByteText(database.tenant)
            scope = database.scope
            owner = ByteText(database.owner)
        }
    }

    /// The scope of the first request, in the database of the news. It names the device of the requests, unless they
    /// came from different ones.
    private(set) var scope: RequestScope
    private(set) var zones: Set<ByteText> = []
    /// Subscriptions that have gone with their zones.
    private(set) var fired: Set<FiredSubscription> = []
    private(set) var changes: [RecordChange] = []
    /// The number of requests.
    private(set) var requests = 1
    /// About the bytes of memory.
    private(set) var weight = Self.ownWeight

    private static let ownWeight = 1_000

    init(_ scope: RequestScope) { self.scope = scope }

    /// The news of a request, one for each database.
    static func all(_ pokes: [Poke], _ scope: RequestScope) -> [StagedPush] {
        var pushes: [StagedPush] = []
        var places: [Key: Int] = [:]
        for poke in pokes {
            let scope = poke.audience.scope(within: scope)
            let key = Key(scope.database)
            let place = places[key] ?? pushes.count
            if place == pushes.count {
                places[key] = place
                pushes.append(StagedPush(scope))
            }
            pushes[place].add(poke)
        }
        return pushes
    }

    var key: Key { Key(scope.database) }

    mutating func add(_ poke: Poke) {
        add(zone: ByteText(poke.zone))
        for fired in poke.fired { add(fired) }
        changes += poke.changes
        weight += poke.changes.reduce(0) { $0 + $1.record.weight }
    }

    /// Adds the news of later requests about the same database.
    mutating func merge(_ later: StagedPush) {
        for zone in later.zones { add(zone: zone) }
        for fired in later.fired { add(fired) }
        changes += later.changes
        weight += later.changes.reduce(0) { $0 + $1.record.weight }
        requests += later.requests
        if scope.device != later.scope.device { scope.device = nil }
        if scope.wakeDevice != later.scope.wakeDevice { scope.wakeDevice = nil }
    }

    private mutating func add(zone: ByteText) {
        if zones.insert(zone).inserted { weight += zone.string.utf8.count + 50 }
    }

    private mutating func add(_ subscription: FiredSubscription) {
        guard fired.insert(subscription).inserted else { return }
        weight += subscription.user.utf8.count + subscription.subscriptionID.utf8.count + 200
    }
}
