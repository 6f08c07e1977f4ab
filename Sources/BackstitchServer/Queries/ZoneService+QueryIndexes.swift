import Backstitch
import BackstitchSupport
import CloudWire

extension ZoneService {
    /// - Throws: BAD_REQUEST for a field that may not be queried: in production those may that the configuration
    ///   declares, in development all.
    func requireQueryable(_ plan: QueryPlan, _ scope: RequestScope) throws(WireError) {
        guard scope.environment != "development", !configuration.queryIndexes.areMadeInProduction else { return }
        let declared = configuration.queryIndexes[plan.type]
        let fields = plan.fields
        if let name = fields.filtered.subtracting(declared).min() {
            throw WireError(.badRequest, "Field '\(name)' is not marked queryable")
        }
        if let name = fields.sorted.subtracting(declared).min() {
            throw WireError(.badRequest, "Field '\(name)' is not marked sortable")
        }
    }

    /// - Throws: BAD_REQUEST where the order would tell a guest of hidden parents: indexes have records as they
    ///   are.
    func requireSortable(_ plan: QueryPlan, in zones: [StoredZone]) throws(WireError) {
        guard plan.sorts.contains(where: { $0.field == .parent }), zones.contains(where: { $0.access?.parts != nil })
        else { return }
        throw WireError(.badRequest, "Field 'parent' is not sortable in a zone of which single records are shared")
    }

    /// Makes an index of a zone, or goes on making it, piece by piece, so that no writer waits long.
    ///
    /// Each piece is a transaction under the zone's lock, and from the first on each change of the zone keeps the index
    /// up. So it misses nothing, whoever writes meanwhile, and whenever the server stops in between.
    ///
    /// - Throws: TRY_AGAIN_LATER when the time is up, THROTTLED when the zone has no place for another index.
    func make(
        _ index: QueryIndex, in zone: StoredZone, _ scope: RequestScope, until deadline: ContinuousClock.Instant
    ) async throws {
        let maker = maker(scope)
        var isDone = false
        while !isDone {
            isDone = try await storage.write(for: scope.user, bytes: 0) { writing in
                let owner = try writing.owner(scope.database)
                guard let found = try look(for: zone.place, owner, scope, writing) else { return true }
                let locked = try writing.lock(found)
                guard locked.state == .live else { return true }
                let known = try writing.queryIndexes(locked)
                let started =
                    try known.first { $0.index == index }
                    ?? begin(index, in: locked, by: maker, among: known, writing)
                guard started.state == .making else { return true }
                let next = try writing.fill(started, of: locked, names: Self.namesOfPiece, bytes: 2 << 20)
                return next.state == .whole
            }
            guard isDone || ContinuousClock.now < deadline else {
                throw WireError(.tryAgainLater, "an index is being made for this query", retryAfter: 1)
            }
        }
    }

    private static let namesOfPiece = 500

    private func begin(
        _ index: QueryIndex, in zone: StoredZone, by maker: QueryMaker, among known: [StoredQueryIndex],
        _ writing: any ZoneWriting
    ) throws -> StoredQueryIndex {
        let now = clock.milliseconds()
        guard let leavers = QueryPlaces(known, at: now).leavers(for: index, of: maker) else {
            throw Self.noPlace(for: index, of: maker, in: zone)
        }
        for leaver in leavers { try writing.drop(leaver, of: zone) }
        return try writing.makeQueryIndex(index, in: zone, by: maker, used: now)
    }

    private static func noPlace(for index: QueryIndex, of maker: QueryMaker, in zone: StoredZone) -> WireError {
        let fields = index.components.map(\.field.name).joined(separator: ", ")
        let holders = maker.isStranger ? "callers without a user have" : "zone '\(zone.name)' has"
        let advice =
            maker.isStranger
            ? "; or an administrator has a user ask the same query once, which makes the index for everybody" : ""
        return WireError(
            .throttled,
            "\(holders) indexes for as many shapes of queries as may be in use, and none for type "
                + "'\(index.type.shown(255))' by (\(fields.shown(255))); ask by fewer fields\(advice)",
            retryAfter: 600)
    }

    /// The user, or the machine, who has the indexes of a request made.
    private func maker(_ scope: RequestScope) -> QueryMaker {
        guard scope.isNobody else { return QueryMaker(name: scope.user) }
        return QueryMaker(machine: signer.mark(.indexMaker, [Array(scope.network.utf8)], count: 12))
    }

    /// Keeps indexes that are used from being removed.
    func noteUse(of indexes: [(zone: StoredZone, index: StoredQueryIndex)]) async throws {
        let now = clock.milliseconds()
        let old = indexes.filter { $0.index.used < now - QueryLimits.useInterval }
        guard !old.isEmpty else { return }
        try await storage.write { writing in
            for (zone, index) in old { try writing.touch(index, of: zone, used: now) }
        }
    }
}
