import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// Shares: finding and accepting them by their addresses, and leaving them.
struct ShareOperations: Sendable {
    let server: ServerContext

    /// Answers `records/resolve`: the shares of some addresses, in the view of the caller.
    ///
    /// An unknown share, or one hidden from the caller, has an error in its place.
    func resolve(_ request: ShareGUIDsRequest, _ scope: RequestScope) async throws -> ShareResultsResponse {
        try Self.checkCount(request)
        let caller = try await server.users.caller(scope.user)
        let results: [ShareResult] = try await server.storage.read { reading in
            var repeats = RepeatedNames()
            var budget = AnswerBudget(scope.limits)
            return try request.shortGUIDs.map { guid in
                do throws(WireError) {
                    try repeats.check(guid.value, "shortGUID")
                    let found = try find(guid, scope, reading)
                    return .share(
                        try WireError.storage { try resolved(found, as: guid, caller, scope, reading, &budget) })
                } catch {
                    return .error(shortGUID: guid.value, try error.ofItem())
                }
            }
        }
        return ShareResultsResponse(results: results)
    }

    /// Answers `records/accept`: the caller joins the shares of some addresses, all of them or none.
    ///
    /// Accepting a share again changes only the caller's public key, if the request has one. So a participant gives a
    /// key, and the owner of a share can do so too.
    ///
    /// - Throws: NOT_FOUND for an unknown address; ACCESS_DENIED if the caller was not invited, or gives a key as a
    ///   participant without being one; QUOTA_EXCEEDED for too many shared zones or participants.
    func accept(_ request: ShareGUIDsRequest, _ scope: RequestScope) async throws -> ShareResultsResponse {
        try Self.checkCount(request)
        let caller = try await server.users.caller(scope.user)
        let (results, pokes) = try await server.change(scope) { writing in
            var results: [ShareResult] = []
            var pokes: [Poke] = []
            var repeats = RepeatedNames()
            // All requests use the same order, so two of them cannot deadlock.
            let found = try request.shortGUIDs.map { guid in
                try repeats.check(guid.value, "shortGUID")
                return (guid, try guid.checkedKey(), try find(guid, scope, writing))
            }
            let ordered = found.sorted { $0.2.isBefore($1.2) }
            // All zones are locked before the first write, as in other requests.
            if ordered.count > 1 { for (_, _, share) in ordered { _ = try writing.lock(share.zone) } }
            let shareBudget = ShareBudget()
            for (guid, key, share) in ordered {
                pokes += try accept(share, key, caller, scope, writing, shareBudget, joins: !guid.onlyAsParticipant)
            }
            var budget = AnswerBudget(scope.limits)
            for (guid, _, _) in found {
                let now = try find(guid, scope, writing)
                results.append(.share(try resolved(now, as: guid, caller, scope, writing, &budget)))
            }
            return (results, pokes)
        }
        await Notifier(server: server).post(pokes, scope)
        return ShareResultsResponse(results: results)
    }

    /// The maximum number of shares in one request. Each has up to a hundred participants.
    private static let mostShares = 100

    /// Checks the number of addresses.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" for too many of them.
    private static func checkCount(_ request: ShareGUIDsRequest) throws(WireError) {
        guard request.shortGUIDs.count <= mostShares else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): \(request.shortGUIDs.count) shortGUIDs, "
                    + "at most \(mostShares) a request"
            )
        }
    }

    /// A share found by its address, with its zone and owner.
    private struct Found {
        var zone: StoredZone
        var owner: String
        var share: StoredShare

        /// Whether the share comes before another one. All requests lock shares in this order.
        func isBefore(_ other: Found) -> Bool {
            (zone.zoneID, share.number) < (other.zone.zoneID, other.share.number)
        }
    }

    /// Finds the share of an address.
    ///
    /// - Throws: NOT_FOUND if there is none.
    private func find(
        _ guid: ShortGUID, _ scope: RequestScope, _ reading: ZoneSnapshot
    ) throws(WireError) -> Found {
        let found: Found? = try WireError.storage {
            guard !guid.value.utf8.contains(0),
                let (zone, owner, name) = try reading.share(tenant: scope.database.tenant, shortGUID: guid.value),
                let share = try reading.share(of: zone, named: name)
            else { return nil }
            return Found(zone: zone, owner: owner, share: share)
        }
        guard let found else { throw WireError(.notFound, "there is no share of this shortGUID") }
        return found
    }

    /// The part that a user has in a share, or would get by accepting it.
    ///
    /// An invitation to the user's address is preferred to a part as public user, because it has rights of its own.
    ///
    /// - Throws: ACCESS_DENIED for a user without an invitation, if the share is not public.
    private func part(_ caller: DiscoveredUser, in share: StoredShare) throws(WireError) -> StoredParticipant {
        let present = share.participant(of: caller.userRecordName)
        if let present, present.kind != .publicUser { return present }
        if let address = caller.lookupInfo.emailAddress.map(FindableUsers.key),
            let invited = share.participants.first(where: {
                $0.user == nil && $0.emailAddress.map(FindableUsers.key) == address
            })
        {
            return invited
        }
        if let present { return present }
        guard share.publicPermission.allowsReading else {
            throw WireError(
                .accessDenied, "this user was not invited to the share; ask its owner for an invitation")
        }
        return StoredParticipant(
            id: "", user: caller.userRecordName, kind: .publicUser, status: .unknown,
            permission: share.publicPermission)
    }

    /// Makes the caller a participant, and sets the public key unless it is nil. Returns the news of the change.
    ///
    /// - Parameter joins: Whether a caller without a part joins.
    private func accept(
        _ found: Found, _ key: String?, _ caller: DiscoveredUser, _ scope: RequestScope, _ writing: ZoneTransaction,
        _ shareBudget: ShareBudget, joins: Bool
    ) throws -> [Poke] {
        let zone = try writing.lock(found.zone)
        guard zone.state == .live, zone.zoneID == found.zone.zoneID,
            let before = try writing.share(of: zone, named: found.share.record),
            before.shortGUID == found.share.shortGUID
        else { throw WireError(.notFound, "there is no share of this shortGUID") }
        var share = before
        let present = share.participant(of: caller.userRecordName).flatMap { $0.status == .accepted ? $0 : nil }
        guard joins || present != nil else {
            throw WireError(.accessDenied, "this user does not take part in the share; accept it to join")
        }
        // Giving a key must not bring the caller any new rights.
        var participant = if !joins, let present { present } else { try part(caller, in: share) }
        let isNew = participant.status != .accepted
        guard isNew || key.map({ $0 != participant.publicKey }) == true else { return [] }
        if isNew {
            if let present {
                // The invited part replaces the part as public user.
                participant.since = present.since
                participant.publicKey = present.publicKey
                share.participants.removeAll { $0.id == present.id }
            } else {
                try grantAccess(to: zone, of: found.owner, scope, writing)
            }
            participant.user = caller.userRecordName
            participant.status = .accepted
            participant.names = caller.nameComponents
        }
        if let key { participant.publicKey = key }
        if let place = share.participants.firstIndex(where: { $0.id == participant.id }) {
            share.participants[place] = participant
        } else {
            guard share.participants.count < StoredShare.mostParticipants else {
                throw WireError(
                    .quotaExceeded, "the share has \(StoredShare.mostParticipants) participants, and may have no more")
            }
            participant.id = server.random.uuid()
            share.participants.append(participant)
        }
        // Invited participants are counted from the invitation on.
        let payers = share.participants.count > before.participants.count ? [found.owner] : []
        let guests = try server.keepingQuotas(of: payers, in: zone.tenantID, writing) {
            try write(share, before: before, of: zone, scope, writing, shareBudget)
        }
        var shared = zone
        if participant.kind != .owner { shared.sharing.insert(.accepted) }
        shared.access = SharedAccess(owner: found.owner, kind: participant.kind, permission: participant.permission)
        let audience = share.root.map { _ in guests.map(\.string) }
        try writing.advanceOwner(of: shared, guests: audience)
        return Poke.all(of: shared, [], to: try audience ?? writing.guests(of: shared))
    }

    /// Adds a zone to the caller's shared database.
    ///
    /// - Throws: QUOTA_EXCEEDED if there is no room for it.
    private func grantAccess(
        to zone: StoredZone, of zoneOwner: String, _ scope: RequestScope, _ writing: ZoneTransaction
    ) throws {
        let key = DatabaseKey(tenant: scope.database.tenant, scope: .shared, owner: scope.user)
        let owner = try server.makeOwner(key, of: scope.user, writing)
        let others = try writing.sharesAccepted(zone, by: scope.user).count
        guard others < StoredShare.mostOfGuest else {
            throw WireError(
                .quotaExceeded, "a user takes part in at most \(StoredShare.mostOfGuest) shares of records of one zone")
        }
        if others == 0 { try requireRoom(for: try writing.sharedZoneCount(owner)) }
        try writing.grantAccess(to: zone, of: zoneOwner, in: owner)
    }

    /// Checks the user's room for another shared zone. Ended ones are remembered and counted, like the user's own
    /// deleted zones.
    ///
    /// - Throws: QUOTA_EXCEEDED if there is no room.
    private func requireRoom(for count: (live: Int, all: Int)) throws {
        let quotas = server.configuration.userQuotas
        guard count.live < quotas.zones else { throw quotas.exceeded("zones of others", quotas.zones) }
        guard count.all < 10 * quotas.zones else {
            throw quotas.exceeded("present and former zones of others", 10 * quotas.zones)
        }
    }

    /// The bytes of a share in an answer, without its record and participants.
    private static let bytesAroundShare = 2_000

    /// The share in the caller's view, with its root if the request wants it and the caller may read it.
    private func resolved(
        _ found: Found, as guid: ShortGUID, _ caller: DiscoveredUser, _ scope: RequestScope, _ reading: ZoneSnapshot,
        _ budget: inout AnswerBudget
    ) throws -> ResolvedShare {
        let part = try part(caller, in: found.share)
        guard let record = try reading.records(found.zone, named: [found.share.record])[0], !record.deleted else {
            throw WireError(.notFound, "there is no share of this shortGUID")
        }
        try budget.require(Self.bytesAroundShare + record.weight + found.share.weight)
        var place = scope
        place.database = DatabaseKey(tenant: scope.database.tenant, scope: .private, owner: found.owner)
        let shown = ShownShare(found.share, to: scope.user)
        let renderer = server.renderer(
            found.zone, place, shares: [found.share], desiredKeys: nil, numbersAsStrings: false)
        var named = guid
        named.publicKey = nil
        var resolved = ResolvedShare(
            shortGUID: named, containerIdentifier: scope.container, environment: scope.environment,
            databaseScope: part.kind == .owner ? .private : .shared, zoneID: place.zoneID(found.zone.name),
            share: try renderer.record(record),
            ownerIdentity: found.share.owner.map(shown.identity) ?? WireParticipant.Identity(),
            participantType: part.kind, participantStatus: part.status,
            participantPermission: found.share.permission(of: part))
        resolved.rootRecordName = found.share.root
        let mayRead = part.kind == .owner || found.share.permission(of: part).allowsReading
        if guid.shouldFetchRootRecord, mayRead, let root = found.share.root,
            var record = try reading.records(found.zone, named: [root])[0], !record.deleted
        {
            try budget.require(record.weight)
            if part.kind != .owner { record.parent = nil }
            var renderer = renderer
            renderer.desiredKeys = try scope.fields(guid.rootRecordDesiredKeys)
            resolved.rootRecord = try renderer.record(record)
        }
        return resolved
    }
}

extension ShortGUID {
    /// The public key of a request in its canonical base64 form.
    ///
    /// - Throws: BAD_REQUEST if it is not base64, empty, or too long.
    fileprivate func checkedKey() throws(WireError) -> String? {
        guard let publicKey else { return nil }
        // The length is checked before decoding: four characters are three bytes.
        guard publicKey.utf8.count <= (Self.mostKeyBytes + 2) / 3 * 4, let key = Data(base64Encoded: publicKey),
            (1...Self.mostKeyBytes).contains(key.count)
        else {
            throw WireError(
                .badRequest,
                "the publicKey for the shortGUID '\(value.shown())' is not base64 of 1 to \(Self.mostKeyBytes) bytes")
        }
        return key.base64EncodedString()
    }
}
