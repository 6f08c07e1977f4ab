import Backstitch
import BackstitchPostgreSQL
import BackstitchServer
import BackstitchSimulator
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

extension SyncParts {
    /// Applies pages of a zone's changes, from the store's position: all pages, or this number.
    ///
    /// - Returns: The deleted objects.
    fileprivate func read(_ zone: Int64, pages most: Int = .max) async throws -> [ObjectID] {
        var gone: [ObjectID] = []
        var cursor = SyncEngine.Cursor.stored
        for _ in 0..<most {
            guard case .pageFetched(let fetched)? = await perform(.inZone(zone, .fetchPage(cursor))) else {
                throw TestFailure("no page was asked for")
            }
            let page = try fetched.get()
            guard case .pageApplied(let applied)? = await perform(.inZone(zone, .applyPage(page))) else {
                throw TestFailure("no page was applied")
            }
            gone += try applied.get().changes.deleted
            guard page.moreComing, let token = page.token else { break }
            cursor = .token(token)
        }
        return gone
    }

    /// The first zone beside the main one that the server has, made known.
    fileprivate func findZone() async throws -> Int64 {
        guard case .setUpEnded(let main)? = await perform(.setUp) else { throw TestFailure("nothing was set up") }
        try main.get()
        guard case .zonesFound(let found)? = await perform(.lookAtZones(asksServer: true)) else {
            throw TestFailure("no zone was looked for")
        }
        let zone = try #require(try found.get().zones.first?.zone)
        guard case .setUpEnded(let further)? = await perform(.inZone(zone, .setUp)) else {
            throw TestFailure("the zone was not set up")
        }
        try further.get()
        return zone
    }
}

@Suite("who of several that have a store open syncs it")
struct LeadTests: ScenarioSuite {
    /// Runs `body` in a world whose devices keep their objects so.
    private func world(_ backing: SyncBacking, _ body: (SyncWorld) async throws -> Void) async throws {
        try await SyncBacking.$current.withValue(backing) { try await SyncWorld.run(body) }
    }

    @Test(
        "who opens a store with another zone while others have it open is refused, and told of both",
        arguments: [SyncBacking.sqlite, .postgreSQL])
    func anotherZone(_ backing: SyncBacking) async throws {
        try await world(backing) { world in
            let leader = try world.device("shared", automatic: true)
            let standby = try world.device("shared", automatic: true)
            let id = try await leader.addNote("kept")
            for options in [[StoreOption.syncZoneName: "Other"], [.syncServerURL: "http://127.0.0.1:9"]] {
                let error = #expect(throws: BackstitchError.self) {
                    try world.device("shared", automatic: true, options)
                }
                let message = error?.message ?? ""
                #expect(message.contains(" Backstitch") && message.contains(world.url.absoluteString))
                #expect(message.contains("Other") || message.contains("http://127.0.0.1:9 "))
            }
            // Nothing was begun anew, also not for who stands by.
            #expect(try await eventually { try await leader.sync.status.pendingCount == 0 })
            try leader.close()
            #expect(throws: BackstitchError.self) { try world.device("shared", [.syncZoneName: "Other"]) }
            #expect(try await eventually { try await standby.sync.status.state == .idle })
            #expect(try await WireView(world).record(id) != nil)
            try standby.close()
            let later = try world.device("shared", [.syncZoneName: "Other"])
            #expect(try await later.sync.sync().sent == 1)
        }
    }

    @Test("a lead is lost with the connection that holds it; somebody leads again, and everything is sent")
    func brokenConnection() async throws {
        try await world(.postgreSQL) { world in
            // A server cuts names after 63 bytes.
            let name = "lead-\(ObjectIDGenerator().next().uuidString)"
            let devices = try (0..<2).map { _ in
                try world.device("shared", automatic: true, [.postgresApplicationName: name])
            }
            let server = try PostgresServer.shared.get()
            let held = """
                FROM pg_stat_activity JOIN pg_locks USING (pid)
                WHERE application_name = '\(name)' AND locktype = 'advisory' AND mode = 'ExclusiveLock'
                """
            for number in 0..<5 {
                for device in devices { _ = try await device.addNote("note \(number)") }
                // The pool's connections are asleep, and are made anew by who needs them.
                let ended = try await onThread { try server.sql("SELECT pid, pg_terminate_backend(pid) \(held)") }
                let connection = ended.prefix { $0.isNumber }
                #expect(!connection.isEmpty, "\(ended)")
                #expect(
                    try await eventually {
                        // Another connection holds it, and the former holder knows that.
                        let now = try await onThread { try server.sql("SELECT pid \(held)") }.prefix { $0.isNumber }
                        var states: [SyncStatus.State] = []
                        for device in devices { states.append(try await device.sync.status.state) }
                        return !now.isEmpty && now != connection && states.count { $0 == .standby } == 1
                    })
            }
            #expect(try await eventually { try await devices[0].sync.status.pendingCount == 0 })
            let fresh = try world.device()
            try await fresh.sync.sync()
            #expect(try await fresh.titles().count == 10)
            #expect(try await fresh.dump() == devices[0].dump())
            #expect(try await fresh.dump() == devices[1].dump())
        }
    }

    @Test("a store that is let go without being closed leaves the lead to the next one")
    func letGo() async throws {
        try await world(.postgreSQL) { world in
            let place = try SyncBacking.current.place(of: "shared", in: world.folder(of: "let go"))
            func open() throws -> SyncDevice {
                let options: [StoreOption: any Sendable] = [
                    .syncServerURL: world.url.absoluteString, .syncAutomatically: false,
                ]
                return try SyncDevice(
                    model: SyncTestModel.description, options: options.merging(place.options) { $1 }, url: place.url)
            }
            var first: SyncDevice? = try open()
            try await first?.sync.sync()
            first = nil
            let second = try open()
            #expect(try await eventually { try await second.sync.status.state != .standby })
            try second.close()
        }
    }

    @Test("behind a pooler of transactions, where no session is one's own, a note in the journal says who leads")
    func pooled() async throws {
        try await world(.postgreSQL) { world in
            let options: [StoreOption: any Sendable] = [.postgresTransactionPooling: true, .postgresPollInterval: 0.2]
            let first = try world.device("shared", automatic: true, options)
            let second = try world.device("shared", automatic: true, options)
            #expect(try await first.sync.status.state != .standby)
            #expect(try await second.sync.status.state == .standby)
            let id = try await second.addNote("by the second")
            #expect(try await eventually { try await WireView(world).recordIfAny(id) != nil })
            try first.close()
            #expect(try await eventually { try await second.sync.status.state == .idle })
        }
    }

    @Test(
        "zones that the server has told of are noted for the store of then: another process may have made them anew",
        .scenario)
    func zonesMeanwhile() async throws {
        let (a, b) = try s.pair()
        try await s.settle()
        try await b.sync.zones.create(named: "Club")
        try await b.sync.sync()
        let backing = try a.store.backing
        try await s.faults.interrupt(0, of: "changes/database") {
            try SyncGeneration().takeLead(of: backing) { _ in }
        }
        try await a.sync.sync()
        #expect(try await s.faults.requests.count { $0 == "changes/database" } == 2)
        try await s.faults.clear()
        #expect(try await a.sync.zones.all().map(\.name) == ["", "Club"])
    }

    @Test("who stands by has nothing read again, and is told so")
    func standbyFromScratch() async throws {
        try await SyncWorld.run { world in
            let leader = try world.device("shared"), standby = try world.device("shared")
            let id = try await leader.addNote("kept")
            try await leader.sync.sync()
            let error = await #expect(throws: BackstitchError.self) { try await standby.sync.syncFromScratch() }
            #expect(error?.code == .syncPaused)
            #expect(try !leader.store.isReadingAll())
            // Nor does it turn off what another process does.
            for turn in [standby.sync.turnOff, standby.sync.turnOn, standby.sync.eraseCloud] {
                let error = await #expect(throws: BackstitchError.self) { try await turn() }
                #expect(error?.code == .syncPaused)
            }
            #expect(try await WireView(world).record(id) != nil)
        }
    }

    /// Two processes on one store with the zone "Club". All its 8 notes are here: four pages.
    private func processes(_ s: Scenario) async throws -> (first: SyncParts, second: SyncParts, zone: Int64) {
        let maker = try s.device()
        try await maker.sync.zones.create(named: "Club")
        // No page cuts a commit.
        for page in 0..<4 {
            try await maker.edit { context in
                for number in 0..<2 {
                    let note = try context.make("Note", ["title": .string("note \(page) \(number)")])
                    try context.assign(note, toZone: "Club")
                }
            }
            try await maker.sync.sync()
        }
        let options: [StoreOption: any Sendable] = [
            .syncServerURL: ScenarioStore.address, .syncAutomatically: false, .syncOnSave: false,
        ]
        let configuration = StoreConfiguration(
            model: try SyncTestModel.resolved(), url: nil,
            options: try StoreOptions(options, specifications: SyncStore.optionSpecifications(for: options)),
            clock: s.clock)
        let first = try SyncParts(
            configuration, transport: s.server, clock: s.clock, lead: SyncLeadClaim(name: "first") { false })
        let second = try SyncParts(
            configuration, backing: first.backing, transport: s.server, clock: s.clock, isStandby: true,
            lead: SyncLeadClaim(name: "second") { false })
        let zone = try await first.findZone()
        #expect(try await first.read(zone).isEmpty)
        return (first, second, zone)
    }

    @Test("a full fetch of a further zone that two processes make parts of by turns begins again, and deletes nothing")
    func fullFetchByTurns() async throws {
        var limits = WireLimits.extended
        limits.page = 2
        try await Scenario.run(limits: limits) { s in
            let (first, second, zone) = try await processes(s)
            _ = await first.perform(.inZone(zone, .forgetToken))
            #expect(try await first.read(zone, pages: 1).isEmpty)
            _ = try second.takeOver()
            #expect(try await second.read(zone, pages: 2).isEmpty)
            let isUnderWay = try first.backing.readJournal { try $0.isReadingAll(ofZone: zone) }
            #expect(isUnderWay)
            _ = try first.takeOver()
            #expect(try await first.read(zone).isEmpty)
            let (isReadingAll, records) = try first.backing.readJournal { journal in
                (try journal.isReadingAll(ofZone: zone), try journal.allRecordKeys().count)
            }
            #expect(!isReadingAll && records == 8)
        }
    }

    @Test("a process that stands still with changes to send does not send them once another one leads", .scenario)
    func standstill() async throws {
        let (first, second, zone) = try await processes(s)
        let deleted = try first.backing.writeJournal(author: "test") { journal in
            let key = try #require(try journal.allRecordKeys().min())
            let sequence = try journal.lastTransactionNumber() + 1
            try journal.raiseTransactionNumber(to: sequence)
            let id = ObjectID(entityName: "Note", key: key)
            try journal.putOutbox([
                OutboxEntry(objectID: id, kind: .delete, sequence: sequence, firstSequence: sequence)
            ])
            return id
        }
        let choice = SyncEngine.Effect.prepareBatch(ceiling: nil, excluding: [], onlyDeletions: false)
        guard case .batchPrepared(let prepared)? = await first.perform(.inZone(zone, choice)) else {
            throw TestFailure("nothing was prepared")
        }
        let batch = try #require(try prepared.get().batch)
        _ = try second.takeOver()
        guard case .batchSent(.failure(let failure))? = await first.perform(.inZone(zone, .sendBatch(batch))) else {
            throw TestFailure("\(deleted) was sent")
        }
        #expect(failure.kind == .superseded)
        guard case .pageFetched(.failure(let failure))? = await first.perform(.inZone(zone, .fetchPage(.stored))) else {
            throw TestFailure("a pull began")
        }
        #expect(failure.kind == .superseded)
        let other = try s.device()
        try await other.sync.sync()
        #expect(try await other.titles().count == 8)
    }

    @Test(
        "records that are looked up while sync moves the store are looked up again: what came meanwhile may be newer",
        .scenario)
    func lookup() async throws {
        let device = try s.device(), other = try s.device()
        let id = try await device.addNote("first")
        try await s.sync(device, other)
        try await device.change(id) { note, _ in note.title = "blocked" }
        try device.store.block(id, "for the test")
        try await s.faults.interrupt(0, of: "records/lookup") { [s] in
            try await other.change(id) { note, _ in note.title = "newer" }
            try await s.sync(other, device)
        }
        try await device.sync.blocked.discard([id])
        #expect(try await s.faults.requests.count { $0 == "records/lookup" } == 2)
        #expect(try await device.titles() == ["newer"])
    }
}
