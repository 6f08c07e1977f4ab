import Backstitch
import BackstitchSupport
import CloudWire

extension CloudClient {
    /// Creates the zone; an existing one is not changed. A zone of another user is only looked up.
    ///
    /// - Returns: The incarnation of the zone, if the server sends it.
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

    /// Returns the zone's present incarnation on the server; nil if the server does not send it.
    ///
    /// - Throws: ``SyncFailure`` of the kind `zoneNotFound` when there is no zone.
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

    /// Returns after the server has answered this user.
    func requireAnswer() async throws {
        if options.database.hasMainZone { _ = try await incarnation() } else { _ = try await changedZones(after: nil) }
    }

    /// Deletes the zone with all its records, or leaves it if it belongs to another user. Nothing happens if there is
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

    /// Returns the reason for the loss of the zone, if the server sends it.
    func deletionReason() async throws -> ZoneInfo.DeletedReason? {
        var token: String?
        var reason: ZoneInfo.DeletedReason?
        // No user has as many zones: a longer list is treated as useless.
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

    /// Returns the zones of the database that were changed, created or deleted since a token; nil if the server has no
    /// such list.
    ///
    /// - Throws: ``SyncFailure`` of the kind `tokenRefused` when the token is no longer valid. A server without this
    ///   list cannot sync the shared database.
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

    /// Returns the record name of the token's user; nil if the server does not send it.
    func user() async throws -> String? { try await caller()?.userRecordName }

    /// Returns the token's user, with the rights in the public database if the server sends them; nil if the server
    /// does not name its callers.
    func caller() async throws -> UserIdentity? {
        do {
            return try await call(.usersCaller, EmptyBody(), as: UserIdentity.self)
        } catch let failure as SyncFailure where failure.isMissingEndpoint {
            return nil
        }
    }

    /// Registers for notifications at the server.
    ///
    /// - Returns: Whether the server supports them.
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

    /// Removes the push tokens that the zone's stores have registered, on all devices: no notification is kept for them
    /// any more. Devices that still have the store open notice it, and register again. A server without this project's
    /// extensions has no operation for this.
    func unregisterPushListeners() async throws {
        guard hasExtensions, let pushClient else { return }
        do {
            _ = try await call(.tokensUnregister, PushToken(clientId: pushClient), as: EmptyBody.self)
        } catch let failure as SyncFailure where failure.isMissingEndpoint {
            // An older server: tokens expire after 30 days without a wait.
            return
        }
    }

    /// The client name of push tokens: that of the main zone. Without a main zone there is no name to remove them by.
    private var pushClient: String? { options.database == .private ? options.zoneName : nil }

    /// Waits for a notification.
    ///
    /// - Returns: Whether it may concern the zone; false when the server had nothing to report.
    func listen() async throws -> Bool {
        guard let url = courierURL else { return false }
        // A user's devices receive notifications of all databases. Those of other databases are ignored, and are no
        // error.
        for _ in 0..<Self.mostOfOthers {
            guard let notification = try await notification(at: url) else { return false }
            guard notification.databaseScope == options.database.scope else { continue }
            return if case .zone(let changed) = notification.subject { names.isOwn(changed) } else { true }
        }
        return true
    }

    /// The most notifications about other databases in a row before this one is checked anyway.
    private static let mostOfOthers = 20

    /// Waits for one notification; returns nil when the server had nothing to report.
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
                BackstitchError(.protocolViolation, "the long poll's answer is not a notification", cause: error))
        }
    }

    /// Returns all present records of the zone, read in pages without their fields.
    func recordsWithoutFields() async throws -> [WireRecord] {
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

    /// The most pages in a row without a new record before the reading fails.
    private static let mostFruitlessPages = 100

    /// Reads a page of the zone's changes.
    ///
    /// - Parameter fields: The fields to read; nil for all.
    /// - Parameter countsRecords: Whether to ask the server for the number of records.
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
            // A server that only seemed to be this project's does not understand the request.
            return try await changes(after: token, fields: fields)
        } catch var failure as SyncFailure {
            if failure.tookTooLong {
                changePace(.pages) { $0.tookTooLong(limit) }
                // A smaller page may be available at once.
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

    /// Returns the page of a zone, read after a token.
    ///
    /// - Throws: ``SyncFailure`` with a protocol violation for a page that breaks the protocol.
    func checked(_ page: ZoneChanges, of zone: ZoneID, after token: String?) throws -> FetchedPage {
        guard names.place(of: page.zoneID) == names.place(of: zone) else {
            throw Self.violation("the server has answered for the zone \"\(page.zoneID.zoneName)\"")
        }
        guard let next = page.syncToken, !next.isEmpty, !page.moreComing || next != token else {
            throw Self.violation("the server does not say where its next page of changes begins")
        }
        guard page.records.allSatisfy({ !$0.recordName.isEmpty }) else {
            throw Self.violation("the server's page of changes has a record without a name")
        }
        var fetched = FetchedPage(
            base: token, token: next, moreComing: page.moreComing, records: page.records, history: page.history)
        fetched.recordsLeft = page.recordsLeft.map { min($0, Self.mostLeft) }
        return fetched
    }

    /// The largest accepted number of remaining records, so that sums of such numbers do not overflow.
    private static let mostLeft = 1 << 40

    /// The time after which a long poll counts as broken, in milliseconds.
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

    /// Whether the server has the endpoint, but refuses it to this caller.
    var isDenied: Bool { (error.cause as? WireError)?.code == .accessDenied }

    /// Converts a BAD_REQUEST for a request with a token: it means that the token was refused.
    fileprivate func refusingToken(_ token: String?, cause: WireErrorCode?) -> SyncFailure {
        guard token != nil, cause == .badRequest else { return self }
        return SyncFailure(.tokenRefused, error, retryAfter: retryAfter)
    }
}
