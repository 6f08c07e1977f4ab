import Backstitch
import BackstitchSQL
import BackstitchSupport
import CloudWire
import Logging

/// Zones: listing, making and deleting them.
struct ZoneOperations: Sendable {
    let server: ServerContext

    /// Answers `zones/list`. The shared database has no default zone.
    func list(_ scope: RequestScope) async throws -> ZonesResponse {
        if scope.database.scope == .shared {
            let zones = try await server.storage.read { reading in
                try reading.owner(scope.database).map { try reading.sharedZones($0, user: scope.user) } ?? []
            }
            return ZonesResponse(zones: zones.map { .zone(info($0, scope)) })
        }
        let defaultZone = ZoneInfo(zoneID: scope.zoneID(ZoneID.defaultZoneName), atomic: false)
        let zones = try await server.storage.read { reading in
            try reading.owner(scope.database).map(reading.liveZones) ?? []
        }
        let custom = zones.filter { $0.name != ZoneID.defaultZoneName }
        return ZonesResponse(zones: [.zone(defaultZone)] + custom.map { .zone(info($0, scope)) })
    }

    /// Answers `zones/lookup`. A zone named twice is answered once, and the second time with an error.
    func lookup(_ request: ZonesLookupRequest, _ scope: RequestScope) async throws -> ZonesResponse {
        try scope.checkCount(request.zones.count + request.malformed.count, of: "zones")
        let results: [ZoneResult] = try await server.storage.read { reading in
            let owner = try reading.owner(scope.database)
            var repeats = RepeatedNames()
            return try request.zones.map { zoneID in
                do throws(WireError) {
                    let place = try scope.place(of: zoneID)
                    try repeats.check(place.key, "zone")
                    if place.isDefault { return .zone(ZoneInfo(zoneID: scope.zoneID(place), atomic: false)) }
                    let zone = try scope.requireZone(at: place, owner, reading)
                    return .zone(info(zone, scope))
                } catch {
                    return .error(ZoneError(zoneID: zoneID, error: try error.ofItem()))
                }
            }
        }
        return ZonesResponse(zones: request.malformed.woven(into: results, Self.refusal))
    }

    /// Answers `zones/modify`. Each operation has its own answer.
    ///
    /// A request with many operations runs in several transactions. Each one locks the rows with the numbers of all
    /// users of a container.
    ///
    /// - Throws: TRY_AGAIN_LATER if the storage is busy before any operation is done. If some are done, the others get
    ///   this error as their answer.
    func modify(_ request: ZonesModifyRequest, _ scope: RequestScope) async throws -> ZonesResponse {
        try scope.checkCount(request.operations.count + request.malformed.count, of: "operations")
        guard scope.mayWrite else { return try await readZones(request, scope) }
        let duplicates = Self.duplicates(request, scope)
        var results: [ZoneResult] = [], rest = ShareBudget.Rest()
        repeat {
            let done = results.count
            let piece: ModifiedZones
            do {
                let frees = request.operations[done...].allSatisfy { $0.operationType == .delete }
                piece = try await server.change(scope, frees: frees) { [rest] writing in
                    try perform(request.operations[done...], duplicates, ShareBudget(rest), scope, writing)
                }
            } catch let failure as TransactionFailure where done > 0 {
                server.configuration.logger.warning("zones were modified in part: \(failure)")
                let busy = failure.wireError
                results += request.operations[done...].map { .error(ZoneError(zoneID: $0.zoneID, error: busy)) }
                break
            }
            results += piece.results
            rest = piece.rest
            await Notifier(server: server).post(piece.pokes, scope)
        } while results.count < request.operations.count
        return ZonesResponse(zones: request.malformed.woven(into: results, Self.refusal))
    }

    /// The outcome of one transaction of `zones/modify`.
    private struct ModifiedZones: Sendable {
        var results: [ZoneResult] = []
        var pokes: [Poke] = []
        var rest = ShareBudget.Rest()
    }

    /// The maximum number of operations in one transaction, and the time after which no further one begins.
    private static let pieceOfZones = (count: 50, milliseconds: Int64(25))

    /// Carries out operations in one transaction, from the first one on, until the transaction is long enough.
    private func perform(
        _ operations: ArraySlice<ZonesModifyRequest.Operation>, _ duplicates: Set<ZonePlace>,
        _ shareBudget: ShareBudget, _ scope: RequestScope, _ writing: ZoneTransaction
    ) throws -> ModifiedZones {
        var done = ModifiedZones()
        var room = ZoneRoom(server.configuration.userQuotas)
        let start = server.clock.uptime()
        for operation in operations.prefix(Self.pieceOfZones.count) {
            if !done.results.isEmpty, server.clock.uptime() - start > Self.pieceOfZones.milliseconds { break }
            do throws(WireError) {
                let place = try scope.place(of: operation.zoneID)
                guard !duplicates.contains(place) else {
                    throw WireError(
                        .badRequest, "zone '\(place.name.shown(255))' occurs more than once in this request")
                }
                let zone =
                    switch operation.operationType {
                    case .create: try create(place, scope, writing, &room)
                    case .delete where place.owner != nil:
                        try ShareOperations(server: server).leave(place, scope, writing, shareBudget)
                    case .delete: try delete(place.name, scope, writing, &room)
                    }
                done.results.append(.zone(zone.info))
                done.pokes += zone.pokes
            } catch {
                done.results.append(.error(ZoneError(zoneID: operation.zoneID, error: try error.ofItem())))
            }
        }
        done.rest = shareBudget.rest
        return done
    }

    /// The zones with several operations in the request. They are refused, because the answer could not show their
    /// order.
    private static func duplicates(_ request: ZonesModifyRequest, _ scope: RequestScope) -> Set<ZonePlace> {
        var seen: Set<ZonePlace> = [], duplicates: Set<ZonePlace> = []
        for operation in request.operations {
            // An invalid place gets an error of its own later.
            guard let place = try? scope.place(of: operation.zoneID) else { continue }
            if !seen.insert(place).inserted { duplicates.insert(place) }
        }
        return duplicates
    }

    /// The answer for an element that could not be read.
    private static func refusal(_ item: MalformedItem<ZoneID>) -> ZoneResult {
        .error(ZoneError(zoneID: item.name, error: item.error))
    }

    /// The description of a zone in an answer.
    private func info(_ zone: StoredZone, _ scope: RequestScope) -> ZoneInfo {
        ZoneInfo(
            zoneID: scope.zoneID(zone.place), syncToken: server.token(zone, scope), atomic: true,
            incarnation: scope.extensions ? zone.incarnation : nil)
    }

    /// Makes a zone, or makes a deleted one live again. An existing zone is returned unchanged.
    private func create(
        _ place: ZonePlace, _ scope: RequestScope, _ writing: ZoneTransaction, _ room: inout ZoneRoom
    ) throws(WireError) -> (info: ZoneInfo, pokes: [Poke]) {
        try scope.requireDatabase(in: [.private])
        let name = place.name
        if place.isDefault { return (ZoneInfo(zoneID: scope.zoneID(place), atomic: false), []) }
        if let fault = RecordRules.fault(inZoneName: name) { throw WireError(.badRequest, fault) }
        let (zone, pokes): (StoredZone?, [Poke]) = try WireError.storage {
            let owner = try server.makeOwner(scope, writing)
            if let old = try writing.zone(owner, named: name).map(writing.lock) {
                if old.state == .live { return (old, []) }
                try room.take(of: owner, isNew: false, writing)
                try writing.update(old, state: .live, epoch: server.random.identifier())
            } else {
                try room.take(of: owner, isNew: true, writing)
                _ = try writing.makeZone(owner, named: name, epoch: server.random.identifier())
            }
            guard let made = try writing.zone(owner, named: name) else { return (nil, []) }
            try writing.advanceOwner(of: made, guests: nil)
            return (made, [Poke(zone: name)])
        }
        guard let zone else { throw WireError(.internalError, "zone '\(name)' was made, but is missing") }
        return (info(zone, scope), pokes)
    }

    /// Answers `zones/modify` for a caller who may only read. Creating an existing zone succeeds, and everything else
    /// is refused.
    private func readZones(_ request: ZonesModifyRequest, _ scope: RequestScope) async throws -> ZonesResponse {
        let results: [ZoneResult] = try await server.storage.read { reading in
            let owner = try reading.owner(scope.database)
            return try request.operations.map { operation in
                do throws(WireError) {
                    guard operation.operationType == .create else { throw RequestScope.readsOnly }
                    let place = try scope.place(of: operation.zoneID)
                    try scope.requireDatabase(in: [.private])
                    if place.isDefault { return .zone(ZoneInfo(zoneID: scope.zoneID(place), atomic: false)) }
                    return .zone(info(try scope.requireZone(at: place, owner, reading), scope))
                } catch {
                    let fault = error.code == .zoneNotFound ? RequestScope.readsOnly : try error.ofItem()
                    return .error(ZoneError(zoneID: operation.zoneID, error: fault))
                }
            }
        }
        return ZonesResponse(zones: request.malformed.woven(into: results, Self.refusal))
    }

    /// Deletes a zone of the caller, but not the default zone.
    private func delete(
        _ name: String, _ scope: RequestScope, _ writing: ZoneTransaction, _ room: inout ZoneRoom
    ) throws(WireError) -> (info: ZoneInfo, pokes: [Poke]) {
        if name == ZoneID.defaultZoneName { throw WireError(.badRequest, "the default zone cannot be deleted") }
        let owner = try WireError.storage { try writing.owner(scope.database) }
        let zone = try scope.requireZone(at: ZonePlace(name: name), owner, writing)
        guard let owner else { throw RequestScope.zoneNotFound(name) }
        let pokes = try WireError.storage { try remove(zone, owner, as: .deleted, writing) }
        room.giveBack()
        return (ZoneInfo(zoneID: scope.zoneID(name), deleted: true), pokes)
    }

    /// Removes a zone's content and marks the zone. Returns the news of it.
    private func remove(
        _ zone: StoredZone, _ owner: StoredOwner, as state: StoredZone.State, _ writing: ZoneTransaction
    ) throws -> [Poke] {
        let locked = try writing.lock(zone)
        let guests = try writing.guests(of: locked)
        if !locked.sharing.isEmpty { try writing.endAccess(to: locked, ofUsers: guests) }
        // After the removal the zone's own subscriptions would be gone.
        let fired = try writing.concernedSubscriptions(
            owner, zones: [zone.name], types: [], limit: server.configuration.userQuotas.subscriptions
        ).fired
        let next = try writing.emptied(locked)
        try writing.update(next, state: state, epoch: server.random.identifier())
        try writing.advanceOwner(of: next, guests: nil)
        // The entries of guests belong to the old row of the zone.
        try writing.advanceGuests(of: locked, users: nil)
        return [Poke(zone: zone.name, fired: fired)] + guests.map { Poke(zone: zone.name, audience: .guest($0)) }
    }

    /// Removes all zones of a user, for a user who removes the app's data.
    ///
    /// Many zones are removed in several transactions, like those of `zones/modify`.
    ///
    /// - Throws: The storage's error. Some zones may be removed then. Call it again for the others.
    func purge(_ scope: RequestScope) async throws {
        var isDone = false
        while !isDone {
            let piece = try await server.change(scope, frees: true) { writing in try purgePiece(scope, writing) }
            await Notifier(server: server).post(piece.pokes, scope)
            isDone = piece.isLast
        }
    }

    /// Removes zones of a user in one transaction, until the transaction is long enough.
    private func purgePiece(
        _ scope: RequestScope, _ writing: ZoneTransaction
    ) throws -> (pokes: [Poke], isLast: Bool) {
        guard let owner = try writing.owner(scope.database) else { return ([], true) }
        let zones = try writing.liveZones(owner), start = server.clock.uptime()
        var pokes: [Poke] = [], count = 0
        for zone in zones.prefix(Self.pieceOfZones.count) {
            if count > 0, server.clock.uptime() - start > Self.pieceOfZones.milliseconds { break }
            pokes += try remove(zone, owner, as: .purged, writing)
            count += 1
        }
        return (pokes, count == zones.count)
    }
}
