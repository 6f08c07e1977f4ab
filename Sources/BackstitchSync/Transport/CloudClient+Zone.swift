import Backstitch
import BackstitchSupport
import CloudWire

extension CloudClient {
    /// Makes the zone; one that exists is none the worse for it. A zone of somebody else is there, or is not.
    ///
    /// - Returns: Which life of the zone it is, if the server says so.
    @discardableResult
    func makeZone() async throws -> String? {
        guard options.database == .private else { return try await incarnation() }
        let response = try await call(
            .zonesModify, ZonesModifyRequest(operations: [.init(.create, zone)]), as: ZonesResponse.self)
        if case .error(let error)? = response.zones.first, error.error.code != .exists {
            throw failure(of: error.error, .zonesModify)
        }
        if case .zone(let info)? = response.zones.first { return info.incarnation }
        return nil
    }

    /// Which life of the zone the server has now; nil where it does not say.
    ///
    /// - Throws: ``SyncFailure`` of the kind `zoneNotFound` when there is none.
    func incarnation() async throws -> String? {
        let response = try await call(.zonesLookup, ZonesLookupRequest(zones: [zone]), as: ZonesResponse.self)
        switch response.zones.first {
        case .zone(let info)?: return info.incarnation
        case .error(var error)?:
            if error.error.code == .notFound { error.error.code = .zoneNotFound }
            throw failure(of: error.error, .zonesLookup)
        case nil: return nil
        }
    }

    /// Returns when the server has answered to this user.
    func requireAnswer() async throws {
        if options.database.hasMainZone { _ = try await incarnation() } else { _ = try await changedZones(after: nil) }
    }

    /// Deletes the zone with all its records, or leaves it where it is somebody else's; nothing happens when there is
    /// none.
    func deleteZone() async throws {
        let request = ZonesModifyRequest(operations: [.init(.delete, zone)])
        do {
            let response = try await call(.zonesModify, request, as: ZonesResponse.self)
            if case .error(let error)? = response.zones.first { throw failure(of: error.error, .zonesModify) }
        } catch let failure as SyncFailure where failure.kind == .zoneNotFound {
            return
        }
    }

    /// Why the server has lost the zone, as far as it says.
    func deletionReason() async throws -> ZoneInfo.DeletedReason? {
        var token: String?
        var reason: ZoneInfo.DeletedReason?
        // No user has as many zones: a list without an end says nothing.
        for _ in 0..<100 {
            let response = try await call(
                .changesDatabase, DatabaseChangesRequest(syncToken: token), as: DatabaseChangesResponse.self)
            for case .zone(let info) in response.zones where info.zoneID.zoneName == zone.zoneName {
                reason = info.deletedReason
            }
            if !response.moreComing || response.syncToken == token { break }
            token = response.syncToken
        }
        return reason
    }

    /// The zones of the database that have moved, come or gone since a token; nil where the server does not tell.
    ///
    /// - Throws: ``SyncFailure`` of the kind `tokenRefused` when the token is not honoured any more. In the shared
    ///   database a server that does not tell cannot be synced with.
    func changedZones(after token: String?) async throws -> DatabaseChangesResponse? {
        do {
            return try await call(
                .changesDatabase, DatabaseChangesRequest(syncToken: token), as: DatabaseChangesResponse.self)
        } catch let failure as SyncFailure where failure.isMissingEndpoint {
            guard token == nil else { throw SyncFailure(.tokenRefused, failure.error, retryAfter: failure.retryAfter) }
            guard options.database.hasMainZone else { throw failure }
            return nil
        }
    }

    /// The record name of the user whose token is in use; nil when the server does not say.
    func user() async throws -> String? {
        do {
            return try await call(.usersCaller, EmptyBody(), as: UserIdentity.self).userRecordName
        } catch let failure as SyncFailure where failure.isMissingEndpoint {
            return nil
        }
    }

    /// Asks for a place where to wait for notifications.
    ///
    /// - Returns: Whether the server has one.
    func registerPushListener() async throws -> Bool {
        let environment = options.environment
        do {
            let created = try await call(
                .tokensCreate, PushToken(apnsEnvironment: environment, clientId: pushClient), as: PushToken.self)
            guard let token = created.apnsToken, let url = created.webcourierURL else { return false }
            _ = try await call(
                .tokensRegister, PushToken(apnsEnvironment: environment, apnsToken: token), as: EmptyBody.self)
            setPushListener(device: token, url: url)
            return true
        } catch let failure as SyncFailure where failure.isMissingEndpoint || failure.isDenied {
            return false
        } catch let failure as SyncFailure where failure.kind == .authentication && isAnonymous {
            return false
        }
    }

    /// Withdraws the push tokens that stores of the zone have registered, on whichever device: nothing is kept for them
    /// any more. Those of devices that still have the store open find that out, and register anew. A server without
    /// this project's extensions has no operation for it.
    func unregisterPushListeners() async throws {
        guard hasExtensions, let pushClient else { return }
        do {
            _ = try await call(.tokensUnregister, PushToken(clientId: pushClient), as: EmptyBody.self)
        } catch let failure as SyncFailure where failure.isMissingEndpoint {
            // An older server: the tokens end when nobody has waited with them for 30 days.
            return
        }
    }

    /// The name under which push tokens are made: that of the main zone. Where there is none, nobody ends them by it.
    private var pushClient: String? { options.database == .private ? options.zoneName : nil }

    /// Waits for a notification.
    ///
    /// - Returns: Whether it may be about the zone; false when the server had nothing to say.
    func listen() async throws -> Bool {
        guard let url = courierURL else { return false }
        // A user's devices hear of all databases: news of another one are none, and no fault of the server's.
        for _ in 0..<Self.mostOfOthers {
            guard let notification = try await notification(at: url) else { return false }
            guard notification.databaseScope == options.database.scope else { continue }
            return if case .zone(let changed) = notification.subject { names.isOwn(changed) } else { true }
        }
        return true
    }

    /// Notifications about other databases in a row after which this one is looked at.
    private static let mostOfOthers = 20

    /// Waits for one notification; nil when the server had nothing to say.
    private func notification(at url: String) async throws -> PushNotification? {
        let response = try await transfer("GET", url, timeout: Self.longestPoll, maximumResponse: 1 << 20)
        guard response.status == 200 || response.status == 204 else {
            throw SyncFailure(
                .network, BackstitchError(.network, "the long poll ended with status \(response.status)"),
                retryAfter: response.retryAfter)
        }
        guard !response.body.isEmpty else { return nil }
        do { return try PushNotification(wireJSON: response.body) } catch {
            throw SyncFailure(
                .network,
                BackstitchError(.protocolViolation, "the long poll's answer is no notification", cause: error))
        }
    }

    /// All records that the zone has now, read in pages without their fields.
    func barestRecords() async throws -> [WireRecord] {
        var records: [ByteText: WireRecord] = [:]
        var token: String?
        var fruitless = 0
        while fruitless < Self.mostFruitlessPages {
            let page = try await changes(after: token, fields: [])
            let before = records.count
            for record in page.records { records[ByteText(record.recordName)] = record.deleted ? nil : record }
            if !page.moreComing { return Array(records.values) }
            fruitless = records.count > before ? 0 : fruitless + 1
            token = page.token
        }
        throw Self.violation("the server says again and again that more changes come, and sends no new record")
    }

    /// Pages in a row without a new record after which no more are asked for.
    private static let mostFruitlessPages = 100

    /// Reads a page of the zone's changes.
    ///
    /// - Parameters:
    ///   - fields: The fields that are wanted; nil for all.
    ///   - countsRecords: Whether the server is asked how many records there are.
    func changes(
        after token: String?, fields: [String]? = nil, countsRecords: Bool = false
    ) async throws -> FetchedPage {
        let (whole, pace) = (limits.page, pace(.pages))
        let limit = pace.share(of: whole)
        let question = ZoneChangesRequest.Zone(
            zoneID: zone, syncToken: token, desiredKeys: fields,
            countsRecords: hasExtensions && countsRecords ? true : nil)
        let request = ZoneChangesRequest(zones: [question], resultsLimit: limit)
        let response: ZoneChangesResponse
        do {
            response = try await call(
                .changesZone, request, as: ZoneChangesResponse.self, timeout: pace.time(options.requestTimeout))
        } catch let failure as SyncFailure where question.countsRecords == true && failure.isBadRequest {
            // A server that only seemed to be one of this project's does not know what it is asked.
            return try await changes(after: token, fields: fields)
        } catch var failure as SyncFailure {
            if failure.tookTooLong {
                changePace(.pages) { $0.tookTooLong(limit) }
                // A smaller page may be had at once.
                if failure.kind == .permanent, limit > 1 { failure.kind = .busy }
            }
            throw failure.refusingToken(token, cause: (failure.error.cause as? WireError)?.code)
        }
        if case .changes(let page)? = response.zones.first {
            changePace(.pages) { $0.succeeded(page.records.count, of: whole) }
        }
        switch response.zones.first {
        case .changes(let page): return try checked(page, of: zone, after: token)
        case .error(let error)?:
            throw failure(of: error.error, .changesZone).refusingToken(token, cause: error.error.code)
        case nil: throw Self.violation("the server's answer to changes/zone names no zone")
        }
    }

    /// The page of a zone, read after a token.
    ///
    /// - Throws: ``SyncFailure`` with a protocol violation for one that is none.
    func checked(_ page: ZoneChanges, of zone: ZoneID, after token: String?) throws -> FetchedPage {
        guard names.place(of: page.zoneID) == names.place(of: zone) else {
            throw Self.violation("the server has answered for the zone \"\(page.zoneID.zoneName)\"")
        }
        guard let next = page.syncToken, !next.isEmpty, !page.moreComing || next != token else {
            throw Self.violation("the server does not say from where more changes are to be read")
        }
        guard page.records.allSatisfy({ !$0.recordName.isEmpty }) else {
            throw Self.violation("the server's page of changes has a record without a name")
        }
        var fetched = FetchedPage(
            base: token, token: next, moreComing: page.moreComing, records: page.records, history: page.history)
        fetched.recordsLeft = page.recordsLeft.map { min($0, Self.mostLeft) }
        return fetched
    }

    /// As many records as a zone is believed to have: sums of such numbers are none that overflow.
    private static let mostLeft = 1 << 40

    /// Milliseconds after which a long poll is taken for broken.
    private static let longestPoll: Int64 = 120_000
}

extension SyncFailure {
    /// Whether the server does not have the endpoint.
    var isMissingEndpoint: Bool {
        guard let error = error.cause as? WireError else { return false }
        return error.code == .notFound || error.code == .badRequest
    }

    /// Whether the server does not understand the request as a whole.
    var isBadRequest: Bool { (error.cause as? WireError)?.code == .badRequest }

    /// Whether the server has the endpoint, and not for this caller.
    var isDenied: Bool { (error.cause as? WireError)?.code == .accessDenied }

    /// Any BAD_REQUEST to a question that carried a token means that the token is not honoured.
    fileprivate func refusingToken(_ token: String?, cause: WireErrorCode?) -> SyncFailure {
        guard token != nil, cause == .badRequest else { return self }
        return SyncFailure(.tokenRefused, error, retryAfter: retryAfter)
    }
}
