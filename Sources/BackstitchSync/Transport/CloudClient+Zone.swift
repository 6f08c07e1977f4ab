import Backstitch
import CloudWire

extension CloudClient {
    /// Makes the zone; one that exists is none the worse for it.
    ///
    /// - Returns: Which life of the zone it is, if the server says so.
    @discardableResult
    func makeZone() async throws -> String? {
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
        case .error(let error)?: throw failure(of: error.error, .zonesLookup)
        case nil: return nil
        }
    }

    /// Deletes the zone with all its records; nothing happens when there is none.
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
        var isLast = false
        while !isLast {
            let response = try await call(
                .changesDatabase, DatabaseChangesRequest(syncToken: token), as: DatabaseChangesResponse.self)
            for case .zone(let info) in response.zones where info.zoneID.zoneName == zone.zoneName {
                reason = info.deletedReason
            }
            isLast = !response.moreComing || response.syncToken == token
            token = response.syncToken
        }
        return reason
    }

    /// The record name of the user whose token is in use; nil when the server does not say.
    func user() async throws -> String? {
        do {
            return try await call(.usersCurrent, EmptyBody(), as: UserIdentity.self).userRecordName
        } catch let failure as SyncFailure where failure.isMissingEndpoint {
            return nil
        }
    }

    /// Subscribes to the zone's changes. Servers without subscriptions are polled instead.
    func subscribe() async throws {
        let subscription = WireSubscription(
            subscriptionID: options.subscriptionName, subscriptionType: .zone, zoneID: zone,
            notificationInfo: .init(shouldSendContentAvailable: true))
        do {
            let response = try await call(
                .subscriptionsModify, SubscriptionsModifyRequest(operations: [.init(.create, subscription)]),
                as: SubscriptionsResponse.self)
            if case .error(_, let error)? = response.subscriptions.first, error.code != .exists {
                throw failure(of: error, .subscriptionsModify)
            }
        } catch let failure as SyncFailure where failure.isMissingEndpoint {
            return
        }
    }

    /// Asks for a place where to wait for notifications.
    ///
    /// - Returns: Whether the server has one.
    func registerCourier() async throws -> Bool {
        let environment = options.environment
        do {
            let created = try await call(
                .tokensCreate, PushToken(apnsEnvironment: environment), as: PushToken.self)
            guard let token = created.apnsToken, let url = created.webcourierURL else { return false }
            _ = try await call(
                .tokensRegister, PushToken(apnsEnvironment: environment, apnsToken: token), as: EmptyBody.self)
            setCourier(device: token, url: url)
            return true
        } catch let failure as SyncFailure where failure.isMissingEndpoint {
            return false
        }
    }

    /// Waits for a notification.
    ///
    /// - Returns: Whether it may be about the zone; false when the server had nothing to say.
    func listen() async throws -> Bool {
        guard let url = courierURL else { return false }
        let response = try await transfer("GET", url, timeout: Self.longestPoll, maximumResponse: 1 << 20)
        guard response.status == 200 || response.status == 204 else {
            throw SyncFailure(
                .network, BackstitchError(.network, "the long poll ended with status \(response.status)"),
                retryAfter: response.retryAfter)
        }
        guard !response.body.isEmpty else { return false }
        // A notification is a hint: one that cannot be read may still mean something.
        guard let notification = try? PushNotification(wireJSON: response.body) else { return true }
        if case .zone(let changed) = notification.subject { return changed.zoneName == zone.zoneName }
        return true
    }

    /// Reads a page of the zone's changes.
    func changes(after token: String?) async throws -> FetchedPage {
        let request = ZoneChangesRequest(
            zones: [.init(zoneID: zone, syncToken: token)], resultsLimit: limits.page)
        let response: ZoneChangesResponse
        do { response = try await call(.changesZone, request, as: ZoneChangesResponse.self) } catch let failure
            as SyncFailure
        {
            throw failure.refusingToken(token, cause: (failure.error.cause as? WireError)?.code)
        }
        switch response.zones.first {
        case .changes(let page):
            guard page.syncToken != nil, !page.moreComing || page.syncToken != token else {
                throw SyncFailure(
                    .permanent,
                    BackstitchError(.protocolViolation, "the server says that more changes come, but not from where"))
            }
            return FetchedPage(
                base: token, token: page.syncToken, moreComing: page.moreComing, records: page.records)
        case .error(let error):
            throw failure(of: error.error, .changesZone).refusingToken(token, cause: error.error.code)
        case nil:
            throw SyncFailure(
                .permanent, BackstitchError(.protocolViolation, "the server's answer to changes/zone names no zone"))
        }
    }

    /// Milliseconds after which a long poll is taken for broken.
    private static let longestPoll: Int64 = 120_000
}

extension SyncFailure {
    /// Whether the server does not have the endpoint.
    fileprivate var isMissingEndpoint: Bool {
        guard let error = error.cause as? WireError else { return false }
        return error.code == .notFound || error.code == .badRequest
    }

    /// Any BAD_REQUEST to a question that carried a token means that the token is not honoured.
    fileprivate func refusingToken(_ token: String?, cause: WireErrorCode?) -> SyncFailure {
        guard token != nil, cause == .badRequest else { return self }
        return SyncFailure(.tokenRefused, error, retryAfter: retryAfter)
    }
}
