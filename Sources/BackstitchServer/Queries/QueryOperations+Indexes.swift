import Backstitch
import BackstitchSupport
import CloudWire

extension QueryOperations {
    /// Makes an index of a zone, or continues to make it. It works piece by piece, so that no writer waits long.
    ///
    /// Each piece is a transaction under the zone's lock. From the first one on, each change of the zone updates the
    /// index. So it is complete, even if others write meanwhile or the server stops in between.
    ///
    /// - Throws: TRY_AGAIN_LATER when the time is up; THROTTLED if the zone has no place for another index.
    func make(
        _ index: QueryIndex, in zone: StoredZone, _ scope: RequestScope, until deadline: ContinuousClock.Instant
    ) async throws {
        let maker = maker(scope)
        var isDone = false
        while !isDone {
            isDone = try await server.storage.write(for: scope.user, bytes: 0) { writing in
                let owner = try writing.owner(scope.database)
                guard let found = try scope.zone(at: zone.place, owner, writing) else { return true }
                let locked = try writing.lock(found)
                guard locked.state == .live else { return true }
                let known = try writing.queryIndexes(locked)
                let started =
                    try known.first { $0.index == index }
                    ?? begin(index, in: locked, by: maker, among: known, writing)
                guard started.state == .making else { return true }
                let next = try writing.fill(started, of: locked, names: Self.namesOfPiece, bytes: Self.bytesOfPiece)
                return next.state == .whole
            }
            guard isDone || ContinuousClock.now < deadline else {
                throw WireError(.tryAgainLater, "an index is being made for this query", retryAfter: 1)
            }
        }
    }

    /// The names of records examined in one piece.
    private static let namesOfPiece = 500
    /// The bytes of records after which a piece ends.
    private static let bytesOfPiece = 512 << 10

    /// Begins an index, after the removal of those that give way to it.
    ///
    /// - Throws: THROTTLED if no place can be had.
    private func begin(
        _ index: QueryIndex, in zone: StoredZone, by maker: QueryIndexOwner, among known: [StoredQueryIndex],
        _ writing: ZoneTransaction
    ) throws -> StoredQueryIndex {
        let now = server.clock.milliseconds()
        guard let leavers = QueryPlaces(known, at: now).leavers(for: index, of: maker) else {
            throw Self.noPlace(for: index, of: maker, in: zone)
        }
        for leaver in leavers { try writing.drop(leaver, of: zone) }
        return try writing.makeQueryIndex(index, in: zone, by: maker, used: now)
    }

    /// The error for an index without a place, with advice for the caller.
    private static func noPlace(for index: QueryIndex, of maker: QueryIndexOwner, in zone: StoredZone) -> WireError {
        let fields = index.components.map(\.field.name).joined(separator: ", ")
        let holders = maker.isStranger ? "callers without a user have" : "zone '\(zone.name)' has"
        let advice =
            maker.isStranger
            ? "; or an administrator can let a user ask the same query once, which makes the index for all callers" : ""
        return WireError(
            .throttled,
            "\(holders) the most query indexes allowed at a time, and none for type '\(index.type.shown(255))' "
                + "by (\(fields.shown(255))); use fewer fields\(advice)",
            retryAfter: 600)
    }

    /// The maker of indexes for a request: its user, or its machine.
    private func maker(_ scope: RequestScope) -> QueryIndexOwner {
        guard scope.isNobody else { return QueryIndexOwner(name: scope.user) }
        return QueryIndexOwner(machine: server.signer.mark(.indexMaker, [Array(scope.network.utf8)], count: 12))
    }

    /// Notes the use of indexes, which keeps them from being removed. The note replaces an older one in its place.
    func noteUse(of indexes: [(zone: StoredZone, index: StoredQueryIndex)]) async throws {
        let now = server.clock.milliseconds()
        let old = indexes.filter { $0.index.used < now - QueryLimits.useInterval }
        guard !old.isEmpty else { return }
        try await server.storage.write(frees: true) { writing in
            for (zone, index) in old { try writing.touch(index, of: zone, used: now) }
        }
    }
}
