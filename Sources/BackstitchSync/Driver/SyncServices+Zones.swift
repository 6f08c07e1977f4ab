import Backstitch
import CloudWire

extension SyncServices {
    /// Finds the further zones that need work.
    ///
    /// - Parameter asksServer: Whether to ask the server for changed, new and deleted zones. Its answer is recorded
    ///   before any of that work begins.
    func lookAtZones(asksServer: Bool) async throws -> FoundZones {
        try await beginWithoutMainZone()
        if asksServer, !settings.isPublic {
            reading.serverIsAsked()
            try await noteMovedZones()
        }
        let rings = try await furtherRings()
        let (zones, mayMove): ([ZoneWork], Bool) = try await onWholeStore { [settings, zoneKeys] store in
            try store.readJournal { journal in
                let zones = try journal.zones()
                let mayMove = try settings.followsMoves && journal.mayMoveObjects()
                guard !zones.isEmpty else { return ([], mayMove) }
                let known = try journal.zoneStates()
                // A push first checks whether the cause of blocked changes is still there, or whether a key has
                // arrived.
                let blocked = try journal.subjects(of: .blockedBelow) + journal.subjects(of: .keyless)
                let places = blocked.isEmpty ? [:] : try journal.zones(of: blocked)
                let unsent = try journal.zonesWithOutbox().union(places.values)
                let work = try zones.keys.sorted().map { zone in
                    var work = ZoneWork(of: zone, known[zone] ?? [], hasUnsent: unsent.contains(zone))
                    if let ring = rings[zone] { try work.addKeys(ring, settings.model, ZoneReader(journal, zone)) }
                    if let zoneKeys, let name = zones[zone], zoneKeys.duty(in: name) != nil { work.hasUnsent = true }
                    return work
                }
                return (work, mayMove)
            }
        }
        return FoundZones(zones, comesAfterOthers: settings.generation.takeMoved(), mayMove: mayMove)
    }

    /// Reads the sync generation at the beginning of a cycle, if there is no main zone whose pull does it.
    private func beginWithoutMainZone() async throws {
        guard !client.options.database.hasMainZone else { return }
        let isMoved = try await onWholeStore { [settings] in try settings.generation.begin(in: $0) { _ in }.isMoved }
        if isMoved { further.endSweeps() }
    }

    private func noteMovedZones() async throws {
        var token = try await databaseToken()
        // No user has as many zones: a longer list is treated as useless.
        for _ in 0..<100 {
            let page: DatabaseChangesResponse?
            do { page = try await client.changedZones(after: token) } catch let failure as SyncFailure
                where failure.kind == .tokenRefused
            {
                // The answers of the zones themselves report which ones are gone.
                try await noteEverythingMoved()
                token = nil
                continue
            } catch let failure as SyncFailure
                where failure.kind == .permanent && client.options.database.hasMainZone
            {
                // The server has sent the main zone's changes, and is asked for the other zones one by one.
                page = nil
            }
            // A server without this list is asked for each zone.
            guard let page else { return try await noteEverythingMoved() }
            do { try await note(page) } catch let failure as SyncFailure where failure.kind == .superseded {
                // Another sync has changed the store since the request.
                try await takeStoreAsItIs()
                token = try await databaseToken()
                continue
            }
            guard page.moreComing, page.syncToken != token else { return }
            token = page.syncToken
        }
    }

    private func databaseToken() async throws -> String? {
        try await onStore { try $0.readJournal { try $0.value(of: .databaseToken) } }
    }

    /// Records which zones have changed, adds new ones, and stores the token of this state.
    private func note(_ page: DatabaseChangesResponse) async throws {
        let told = page.zones.compactMap { result -> (name: String, isGone: Bool)? in
            guard case .zone(let info) = result, let name = client.names.inProgram(info.zoneID) else { return nil }
            return (name, info.deleted == true)
        }
        // Most stores have only one zone, so nothing is recorded; the next request gets the same answer.
        guard !told.isEmpty else { return }
        try await onWholeStore { [settings] store in
            // Another zone may have taken the name since the request.
            try settings.generation.write(to: store, isStep: false) { journal in
                let numbers = Dictionary(try journal.zones().map { ($0.value, $0.key) }, uniquingKeysWith: min)
                for (name, isGone) in told {
                    guard let zone = try numbers[name] ?? (isGone ? nil : addZone(named: name, journal)) else {
                        continue
                    }
                    try ZoneWriter(journal, zone).set(.moved, to: true)
                    // If this device has not created the zone yet, another one of its name is gone.
                    let wasMade = try ZoneReader(journal, zone).has(.setUp)
                    try ZoneWriter(journal, zone).set(.gone, to: isGone && wasMade)
                }
                if let token = page.syncToken { try journal.set(.databaseToken, to: token) }
            }
        }
    }

    /// Adds a zone. A zone of another user stays read-only until the user's permission is known.
    func addZone(named name: String, _ journal: any JournalWriting) throws -> Int64 {
        let zone = try journal.addZone(named: name)
        if !client.options.database.hasMainZone { try journal.setReadOnly(true, zone: zone) }
        return zone
    }

    private func noteEverythingMoved() async throws {
        try await onWholeStore { store in
            guard try !store.readJournal({ try $0.zones() }).isEmpty else { return }
            try store.writeJournal(author: SyncAuthor.name) { journal in
                for zone in try journal.zones().keys { try ZoneWriter(journal, zone).set(.moved, to: true) }
            }
        }
    }
}
