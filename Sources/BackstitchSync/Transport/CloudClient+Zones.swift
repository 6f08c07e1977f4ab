import Backstitch
import BackstitchSupport
import CloudWire

// Requests about several zones at once. A zone without a usable answer has no result; a later request about it alone
// shows the reason.
extension CloudClient {
    /// The answer about one of several zones.
    enum PageAnswer: Sendable {
        case page(FetchedPage)
        /// The answer had no room for the zone.
        case unanswered
    }

    /// The most zones of one request.
    var mostZones: Int { limits.operations }

    /// Creates zones; existing ones are not changed. Zones of others are only looked up.
    ///
    /// - Returns: The incarnations that the server sends, by the places of the existing zones
    ///   (``ZoneNames/place(of:)``).
    func makeZones(_ zones: [ZoneID]) async throws -> [ByteText: String?] {
        guard options.database == .private else { return try await incarnations(of: zones) }
        let operations = zones.map { ZonesModifyRequest.Operation(.create, $0) }
        let response = try await call(
            .zonesModify, ZonesModifyRequest(operations: operations), as: ZonesResponse.self)
        return incarnations(response)
    }

    /// Returns the present incarnations of zones on the server, by the places of the existing ones.
    func incarnations(of zones: [ZoneID]) async throws -> [ByteText: String?] {
        incarnations(try await call(.zonesLookup, ZonesLookupRequest(zones: zones), as: ZonesResponse.self))
    }

    private func incarnations(_ response: ZonesResponse) -> [ByteText: String?] {
        var lives: [ByteText: String?] = [:]
        for case .zone(let info) in response.zones where info.deleted != true {
            lives.updateValue(info.incarnation, forKey: ByteText(names.place(of: info.zoneID)))
        }
        return lives
    }

    /// Reads a page of the changes of each of several zones, after its token.
    ///
    /// - Returns: The answers in the order of `cursors`; nil for zones that must be read singly.
    func changes(of cursors: [(zone: ZoneID, cursor: ZoneCursor)]) async throws -> [PageAnswer?] {
        let pace = pace(.pages)
        let request = ZoneChangesRequest(
            zones: cursors.map { zone, cursor in
                .init(
                    zoneID: zone, syncToken: cursor.token,
                    countsRecords: hasExtensions && cursor.isBeginning ? true : nil)
            },
            resultsLimit: pace.share(of: limits.page))
        let response = try await call(
            .changesZone, request, as: ZoneChangesResponse.self, timeout: pace.time(options.requestTimeout))
        var pages: [ByteText: [ZoneChanges]] = [:]
        for case .changes(let page) in response.zones {
            pages[ByteText(names.place(of: page.zoneID)), default: []].append(page)
        }
        return cursors.map { zone, cursor in
            guard let found = pages[ByteText(names.place(of: zone))], found.count == 1 else { return nil }
            let page = found[0]
            if page.records.isEmpty, page.moreComing, page.syncToken == cursor.token { return .unanswered }
            return (try? checked(page, of: zone, after: cursor.token)).map { .page($0) }
        }
    }
}
