import Backstitch

// The zones that a store has beside its main one.

extension JournalingStore {
    /// Makes a zone known, unless there is one of that name.
    package func makeZone(named name: String) throws {
        try writeJournal(author: SyncAuthor.name) { journal in
            if try !journal.zones().values.contains(name) { _ = try journal.addZone(named: name) }
        }
    }
}

extension JournalReading {
    /// The numbers of all zones, the main one first.
    func allZones() throws -> [Int64] { try [0] + zones().keys.sorted() }

    /// The names of what is known of the zones beside the main one, by the zones' numbers. One look at the store,
    /// however many zones there are.
    func zoneStates() throws -> [Int64: Set<String>] {
        var states: [Int64: Set<String>] = [:]
        for (key, _) in try metadata(withPrefix: ZoneState.prefix) {
            if let (zone, name) = ZoneState.zoneAndName(of: key) { states[zone, default: []].insert(name) }
        }
        return states
    }

    /// The change token up to which a zone is here.
    package func changeToken(ofZone zone: Int64) throws -> String? { try ZoneReader(self, zone).value(of: .token) }

    /// Whether everything of a zone is being read again.
    package func isReadingAll(ofZone zone: Int64) throws -> Bool { try ZoneReader(self, zone).has(.sweep) }
}

extension JournalWriting {
    /// Makes a zone known; it is made on the server when it is synced first.
    ///
    /// - Returns: Its number, which no other zone of the store has had.
    func addZone(named name: String) throws -> Int64 {
        let number = try (value(of: .lastZone) ?? 0) + 1
        try set(.lastZone, to: number)
        try putZone(number, named: name)
        return number
    }

    /// Forgets a zone that is not the main one, with all that is known of it.
    func forget(zone: Int64) throws {
        for (key, _) in try metadata(withPrefix: ZoneState.prefix(of: zone)) { try setMetadata(nil, for: key) }
        try removeZone(zone)
    }
}

extension ZoneWork {
    /// - Parameter known: The names of what is known of the zone.
    init(of zone: Int64, _ known: Set<String>, hasUnsent: Bool) {
        self.init(
            zone: zone, isSetUp: known.contains(SyncProperty.setUp.name),
            isUnread: !known.contains(SyncProperty.token.name),
            hasNews: known.contains(SyncProperty.moved.name) || known.contains(SyncProperty.sweep.name)
                // They may be free by now.
                || known.contains { $0.hasPrefix(SyncNotes.awaitedValues.prefix) },
            hasUnsent: hasUnsent, isGone: known.contains(SyncProperty.gone.name))
    }
}
