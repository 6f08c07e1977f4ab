import Backstitch

// The further zones of a store.

extension JournalingStore {
    /// Adds a zone to the store, unless one has this name.
    package func makeZone(named name: String) throws {
        try writeJournal(author: SyncAuthor.name) { journal in
            if try !journal.zones().values.contains(name) { _ = try journal.addZone(named: name) }
        }
    }
}

extension JournalReading {
    /// The numbers of all zones, the main one first.
    func allZones() throws -> [Int64] { try [0] + zones().keys.sorted() }

    /// The names of the stored properties of the further zones, by the zones' numbers. Of notes about records, only
    /// their kind is kept. A read of the store brings up to a thousand of them.
    func zoneStates() throws -> [Int64: Set<String>] {
        var states: [Int64: Set<String>] = [:]
        var last: String?
        while true {
            let page = try metadata(withPrefix: ZoneState.prefix, after: last, limit: 1_000)
            for (key, _) in page {
                guard let (zone, name) = ZoneState.zoneAndName(of: key) else { continue }
                states[zone, default: []].insert(ZoneState.kind(of: name))
            }
            guard page.count == 1_000 else { return states }
            last = page.last?.key
        }
    }

    /// The change token of a zone, as far as it was read.
    package func changeToken(ofZone zone: Int64) throws -> String? { try ZoneReader(self, zone).value(of: .token) }

    /// Whether a full fetch of a zone is running.
    package func isReadingAll(ofZone zone: Int64) throws -> Bool { try ZoneReader(self, zone).has(.sweep) }
}

extension JournalWriting {
    /// Adds a zone to the store. The next sync makes it on the server.
    ///
    /// - Returns: Its number. No other zone of the store has ever had it.
    func addZone(named name: String) throws -> Int64 {
        let number = try (value(of: .lastZone) ?? 0) + 1
        try set(.lastZone, to: number)
        try putZone(number, named: name)
        return number
    }

    /// Forgets a further zone, with everything known about it.
    func forget(zone: Int64) throws {
        for (key, _) in try metadata(withPrefix: ZoneState.prefix(of: zone)) { try setMetadata(nil, for: key) }
        try removeZone(zone)
    }
}

extension ZoneWork {
    /// The work for a zone, from the names of its stored properties.
    ///
    /// - Parameter known: The names of the zone's stored properties.
    init(of zone: Int64, _ known: Set<String>, hasUnsent: Bool) {
        self.init(
            zone: zone, isSetUp: known.contains(SyncProperty.setUp.name),
            isUnread: !known.contains(SyncProperty.token.name),
            hasNews: known.contains(SyncProperty.moved.name) || known.contains(SyncProperty.sweep.name)
                // The values or the key may be free by now.
                || known.contains {
                    $0.hasPrefix(SyncNotes.awaitedValues.prefix) || $0.hasPrefix(SyncNotes.takenKeys.prefix)
                },
            hasUnsent: hasUnsent, isGone: known.contains(SyncProperty.gone.name))
    }
}
