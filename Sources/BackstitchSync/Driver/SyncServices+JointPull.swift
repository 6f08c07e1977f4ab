import Backstitch
import BackstitchSupport
import CloudWire

// A pull of several zones together. The rules of a single pull apply to each zone: its starting point, its incarnation,
// and an unchanged store since the request. A zone that breaks a rule is left out.
extension SyncServices {
    /// Creates the missing zones among those given, and returns the starting point of each.
    func openZones(_ numbers: [Int64]) async throws -> OpenedZones {
        try await makeZones(numbers)
        let (standing, isMoved) = try await onWholeStore { [settings] store in
            try settings.generation.begin(in: store) { journal in
                let (known, names) = (try journal.zoneStates(), try journal.zones())
                return try numbers.compactMap { zone -> Standing? in
                    guard let name = names[zone], let state = known[zone], state.contains(SyncProperty.setUp.name)
                    else { return nil }
                    let token = try ZoneReader(journal, zone).value(of: .token)
                    return Standing(
                        name: name, cursor: ZoneCursor(zone: zone, token: token, isBeginning: true),
                        isSweeping: state.contains(SyncProperty.sweep.name))
                }
            }
        }
        if isMoved {
            sweep.end()
            further.endSweeps()
        }
        for zone in standing { services(of: zone.cursor.zone, named: zone.name).settings.ring?.forgetFailures() }
        let cursors = try await beginSweeps(standing)
        return OpenedZones(cursors, comesAfterOthers: settings.generation.takeMoved())
    }

    /// The state of a zone before it is read.
    private struct Standing: Sendable {
        let name: String
        var cursor: ZoneCursor
        /// Whether the whole zone is read again.
        let isSweeping: Bool
    }

    /// Begins full fetches again after an interruption by a restart or another process. Returns the starting points of
    /// all zones.
    private func beginSweeps(_ standing: [Standing]) async throws -> [ZoneCursor] {
        let again = standing.filter(\.isSweeping).map { services(of: $0.cursor.zone, named: $0.name) }
            .filter { !$0.sweep.isActive }
        guard !again.isEmpty else { return standing.map(\.cursor) }
        try await onWholeStore { [settings] store in
            try settings.generation.write(to: store) { journal in
                for zone in again { try ZoneWriter(journal, zone.settings.zoneNumber).beginAgain() }
            }
        }
        for zone in again { zone.sweep.begin() }
        let fromBeginning = Set(again.map(\.settings.zoneNumber))
        return standing.map(\.cursor).map { cursor in
            var cursor = cursor
            if fromBeginning.contains(cursor.zone) { cursor.token = nil }
            return cursor
        }
    }

    /// Creates zones on the server, with the subscription to the database that notifies about all of them.
    private func makeZones(_ numbers: [Int64]) async throws {
        let unmade = try await onWholeStore { store in
            try store.readJournal { journal in
                let (known, names) = (try journal.zoneStates(), try journal.zones())
                return numbers.filter { known[$0]?.contains(SyncProperty.setUp.name) != true }.compactMap { zone in
                    names[zone].map { (zone: zone, name: $0) }
                }
            }
        }
        guard !unmade.isEmpty else { return }
        let names = client.names
        let found = unmade.map { ($0.zone, names.onServer($0.name)) }
        var lives: [ByteText: String?] = [:]
        for part in found.parts(of: client.mostZones) {
            lives.merge(try await client.makeZones(part.map(\.1))) { $1 }
        }
        let mark = try await client.subscribeToDatabase()
        try await onWholeStore { [lives] store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                for (zone, id) in found {
                    guard let life = lives[ByteText(names.place(of: id))], try journal.name(ofZone: zone) != nil else {
                        continue
                    }
                    try ZoneWriter(journal, zone).noteSetUp(incarnation: life, mark)
                }
            }
        }
    }

    /// Requests a page of each of some zones.
    func fetchPages(_ cursors: [ZoneCursor]) async throws -> FetchedPages {
        let asked = cursors.prefix(client.mostZones)
        let zones = try await services(of: asked)
        let answers = try await client.changes(of: zones.map { ($0.services.client.zone, $0.cursor) })
        var fetched = FetchedPages([], unanswered: cursors.dropFirst(asked.count).map(\.zone))
        for ((_, cursor), answer) in zip(zones, answers) {
            switch answer {
            case .page(let page): fetched.pages.append(ZonePage(zone: cursor.zone, page))
            case .unanswered: fetched.unanswered.append(cursor.zone)
            case nil: break
            }
        }
        let other = try await zonesOfOtherLives(
            zones.filter { zone in
                zone.cursor.token == nil && fetched.pages.contains { $0.zone == zone.cursor.zone }
            }.map(\.services))
        fetched.pages.removeAll { other.contains($0.zone) }
        return fetched
    }

    /// Returns the services of the zones that still exist.
    private func services(
        of cursors: some Collection<ZoneCursor> & Sendable
    ) async throws -> [(services: SyncServices, cursor: ZoneCursor)] {
        let names = try await onWholeStore { store in
            try store.readJournal { journal in try cursors.map { try journal.name(ofZone: $0.zone) } }
        }
        return zip(cursors, names).compactMap { cursor, name in
            name.map { (services(of: cursor.zone, named: $0), cursor) }
        }
    }

    /// Returns those zones, all read from their beginning, that may differ from the known ones.
    private func zonesOfOtherLives(_ zones: [SyncServices]) async throws -> Set<Int64> {
        guard !zones.isEmpty else { return [] }
        let known = try await onWholeStore { whole in
            try whole.readJournal { journal in
                try zones.map { zone in
                    let own = ZoneReader(journal, zone.settings.zoneNumber)
                    let life = try own.knownLife()
                    return (life: life, hasRecords: try life == KnownLife() && own.hasKnownRecords())
                }
            }
        }
        let named = zip(zones, known).filter { $1.life.incarnation != nil }.map(\.0.client.zone)
        let lives = named.isEmpty ? [:] : try await client.incarnations(of: named)
        return Set(
            zip(zones, known).filter { zone, known in
                guard let incarnation = known.life.incarnation else {
                    return known.life != KnownLife() || known.hasRecords
                }
                return lives[ByteText(zone.settings.zone)] != incarnation
            }.map(\.0.settings.zoneNumber))
    }

    /// Writes pages of several zones and their tokens, in one transaction.
    func apply(_ pages: [ZonePage]) async throws -> AppliedPages {
        let zones = try await services(of: pages.map { ZoneCursor(zone: $0.zone, token: nil) })
        let own = Dictionary(zones.map { ($0.cursor.zone, $0.services) }, uniquingKeysWith: { $1 })
        var applied = try await offering(pages.compactMap { page in own[page.zone].map { ($0, page.page) } }) {
            try await apply(pages, in: own)
        }
        for index in applied.zones.indices where applied.zones[index].applied.awaitsBytes {
            guard settings.model.hasLargeColumns, let services = own[applied.zones[index].zone] else { continue }
            applied.zones[index].applied.add(try await services.bringLargeValues())
        }
        return applied
    }

    private func apply(_ pages: [ZonePage], in own: [Int64: SyncServices]) async throws -> AppliedPages {
        try await resolving { settings in
            try await onWholeStore { store in
                let written = try settings.leavingOutRefused { settings in
                    try settings.generation.write(to: store) { journal in
                        try pages.compactMap { page -> Written? in
                            guard let services = own[page.zone] else { return nil }
                            let applier = PageApplier(
                                settings: services.settings.deciding(as: settings), sweep: services.sweep, clock: clock)
                            return try applier.write(page.page, to: ZoneWriter(journal, page.zone)).map {
                                Written(zone: page.zone, applier: applier, outcome: $0)
                            }
                        }
                    }
                }
                for page in written { page.applier.noteCommit(of: page.outcome) }
                announce(StoreChanges(inOrder: written.map(\.outcome.applied.changes)))
                for page in written { reading.note(page.outcome.applied, inZone: page.zone) }
                if written.contains(where: { !$0.outcome.applied.parked.isEmpty || $0.outcome.applied.hasNewRights }) {
                    bell.ring()
                }
                return AppliedPages(written.map { ($0.zone, $0.outcome.applied) })
            }
        }
    }

    /// A page that was written in a transaction.
    private struct Written {
        let zone: Int64
        let applier: PageApplier
        let outcome: PageApplier.Outcome
    }
}
