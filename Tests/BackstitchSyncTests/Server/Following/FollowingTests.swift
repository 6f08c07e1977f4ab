import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("what a store follows of the public database, over HTTP", .timeLimit(.minutes(3)))
struct FollowingTests {
    @Test("what fits comes and is kept up to date, what fits no more and what is deleted goes, and nothing else comes")
    func changes() async throws {
        try await PublicNotes.run { notes in
            let alice = try notes.device("alice")
            let ids = try await alice.publish(["a": 1, "b": 2, "c": 3, "far": 30, "near": 31])
            try await alice.sync.sync()
            let bob = try await notes.reader("bob"), anybody = try await notes.reader(nil)
            for device in [bob, anybody] { #expect(try await device.titles() == ["a", "b", "c"]) }
            try await alice.change(ids[0]) { note, _ in note.title = "A" }
            try await alice.change(ids[1]) { note, _ in note.rank = 20 }
            try await alice.delete(ids[2])
            try await alice.change(ids[3]) { note, _ in note.rank = 4 }
            try await alice.change(ids[4]) { note, _ in note.title = "still far" }
            try await alice.sync.sync()
            for device in [bob, anybody] {
                let summary = try await device.sync.sync()
                #expect(try await device.titles() == ["A", "far"])
                #expect(summary.conflicts.isEmpty && summary.blocked.isEmpty && summary.parked.isEmpty)
                #expect(try await device.followedStates() == [.current])
                #expect(try await device.sync.sync().deleted.isEmpty)
            }
            // The publisher has everything as it was made.
            #expect(try await alice.titles() == ["A", "b", "far", "still far"])
        }
    }

    @Test("a request that is followed offline, and over a restart, is read when the server is there")
    func restart() async throws {
        try await PublicNotes.run { notes in
            let alice = try notes.device("alice")
            try await alice.publish(["a": 1])
            try await alice.sync.sync()
            await notes.world.faults.set { _ in .dropConnection }
            var bob = try notes.device("bob", "bob")
            let request = try await bob.sync.following.start(PublicNotes.low)
            #expect(request.state == .waiting && request.entityName == "Note")
            let error = await #expect(throws: BackstitchError.self) { try await bob.sync.sync() }
            #expect(error?.code == .network)
            #expect(try await bob.followedStates() == [.waiting])
            try bob.close()
            await notes.world.faults.set(nil)
            bob = try notes.device("bob", "bob")
            #expect(try await bob.followedStates() == [.waiting])
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["a"])
            try bob.close()
            try await alice.publish(["b": 2])
            try await alice.sync.sync()
            bob = try notes.device("bob", "bob")
            #expect(try await bob.followedStates() == [.current])
            await notes.world.faults.clear()
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["a", "b"])
            // The feed continues from its position: nothing is read again.
            #expect(await !notes.world.faults.requests.contains("records/query"))
        }
    }

    @Test("pages, and a connection that breaks at each of them, lose nothing and tell nothing twice")
    func pages() async throws {
        var limits = WireLimits.extended
        limits.page = 10
        try await PublicNotes.run(limits: limits) { notes in
            let alice = try notes.device("alice")
            let ids = try await alice.addNotes(85)
            try await alice.sync.sync()
            let bob = try notes.device("bob", "bob")
            try await bob.sync.following.start(FetchRequest<TestNote>(where: "rank < 80"))
            for endpoint in ["records/query", "changes/query", "records/query"] {
                await notes.world.faults.breakDown(at: endpoint)
                await #expect(throws: BackstitchError.self) { try await bob.sync.sync() }
            }
            await notes.world.faults.clear()
            try await bob.sync.sync()
            #expect(try await bob.titles().count == 80)
            // Eight pages of ten. Some of them arrived before.
            #expect(await notes.world.faults.requests.count { $0 == "records/query" } <= 9)
            try await alice.edit { context in
                for (number, id) in ids.enumerated() {
                    let note = try #require(try context.existingObject(with: id) as? TestNote)
                    if number % 5 == 0 { context.delete(note) } else { note.rank = number % 5 == 1 ? 100 : 1 }
                }
            }
            try await alice.sync.sync()
            await notes.world.faults.breakDown(at: "changes/query")
            await #expect(throws: BackstitchError.self) { try await bob.sync.sync() }
            await notes.world.faults.clear()
            let summary = try await bob.sync.sync()
            #expect(summary.conflicts.isEmpty)
            #expect(try await bob.titles().count == 51)
            #expect(
                try await bob.titles()
                    == alice.read { context in
                        try context.fetch(FetchRequest<TestNote>(where: "rank < 80")).compactMap(\.title).sorted()
                    })
        }
    }

    @Test("when the feed's token has ended everything is read again: what went meanwhile goes, and unsent edits stay")
    func endedToken() async throws {
        try await PublicNotes.run { notes in
            let alice = try notes.device("alice")
            let ids = try await alice.publish(["a": 1, "b": 2, "c": 3])
            try await alice.sync.sync()
            let bob = try await notes.reader("bob")
            let own = try await bob.publish(["of Bob": 5, "far of Bob": 50])
            try await bob.sync.sync()
            try await alice.delete(ids[0])
            try await alice.change(ids[1]) { note, _ in note.rank = 40 }
            try await alice.publish(["d": 4])
            try await alice.sync.sync()
            try await notes.world.server.invalidateSyncTokens()
            try await bob.change(own[0]) { note, _ in note.title = "of Bob, edited" }
            let summary = try await bob.sync.sync()
            #expect(summary.conflicts.isEmpty && summary.blocked.isEmpty && summary.reverted.isEmpty)
            // An object that was made here and fits no request was never followed, and stays.
            #expect(try await bob.titles() == ["c", "d", "far of Bob", "of Bob, edited"])
            #expect(try await bob.sync.status.pendingCount == 0)
            let other = try await notes.reader("alice")
            #expect(try await other.titles() == ["c", "d", "of Bob, edited"])
        }
    }

    @Test("everything is read again when the program asks, and when a reading was cut by a restart")
    func readAgain() async throws {
        var limits = WireLimits.extended
        limits.page = 10
        try await PublicNotes.run(limits: limits) { notes in
            let alice = try notes.device("alice")
            let ids = try await alice.addNotes(35)
            try await alice.sync.sync()
            var bob = try notes.device("bob", "bob")
            try await bob.sync.following.start(FetchRequest<TestNote>())
            try await bob.sync.sync()
            try await alice.delete(ids[3], ids[30])
            try await alice.sync.sync()
            try await notes.world.server.invalidateSyncTokens()
            // Two pages of the new reading arrive. The memory of their objects is lost with the process.
            let asked = Locked(0)
            await notes.world.faults.set { request in
                guard request.endpoint == "records/query" else { return nil }
                return asked.withLock { count in
                    count += 1
                    return count > 2 ? .dropConnection : nil
                }
            }
            await #expect(throws: BackstitchError.self) { try await bob.sync.sync() }
            try bob.close()
            await notes.world.faults.clear()
            bob = try notes.device("bob", "bob")
            try await bob.sync.sync()
            #expect(try await bob.titles() == alice.titles())
            let summary = try await bob.sync.syncFromScratch()
            #expect(summary.deleted.isEmpty && summary.inserted.isEmpty)
            #expect(try await bob.titles().count == 33)
        }
    }

    @Test("what only an ended request has brought goes; what another one asks for, and what is unsent, stays")
    func unfollow() async throws {
        try await PublicNotes.run { notes in
            let alice = try notes.device("alice")
            try await alice.publish(["a": 1, "b": 2, "c": 3])
            try await alice.sync.sync()
            let bob = try await notes.reader("bob")
            let first = try FetchRequest<TestNote>(where: "rank <= 1")
            try await bob.sync.following.start(first)
            try await bob.sync.sync()
            let unsent = try await bob.publish(["unsent": 2])
            try await bob.sync.following.stop(PublicNotes.low)
            #expect(try await bob.titles() == ["a", "unsent"])
            #expect(try await bob.sync.following.requests().map(\.predicate) == [first.predicate])
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["a", "unsent"])
            try await bob.sync.following.stop(first, keepsObjects: true)
            try await alice.publish(["z": 0])
            try await alice.sync.sync()
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["a", "unsent"])
            // An object that stays can be evicted, and followed again.
            try await bob.sync.objects.removeLocally(unsent)
            try await bob.sync.following.start(PublicNotes.low)
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["a", "b", "c", "z"])
            let again = await #expect(throws: BackstitchError.self) { try await bob.sync.following.stop(first) }
            #expect(again?.code == .invalidRequest)
        }
    }

    @Test("a request that is followed again before the next sync is read again, with what the device let go")
    func followedAgain() async throws {
        try await PublicNotes.run { notes in
            let alice = try notes.device("alice")
            try await alice.publish(["a": 1, "b": 2])
            try await alice.sync.sync()
            let bob = try await notes.reader("bob")
            try await bob.sync.following.stop(PublicNotes.low)
            #expect(try await bob.titles().isEmpty)
            #expect(try await bob.sync.following.start(PublicNotes.low).state == .waiting)
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["a", "b"])
            #expect(try await bob.followedStates() == [.current])
        }
    }

    @Test("a device hears of what others publish as it comes", .timeLimit(.minutes(5)))
    func notified() async throws {
        try await PublicNotes.run { notes in
            let bob = try notes.device("bob", automatic: true, [.syncPollInterval: 3_600.0])
            try await bob.sync.following.start(PublicNotes.low)
            #expect(try await eventually { try await bob.followedStates() == [.current] })
            let alice = try notes.device("alice", automatic: true)
            let ids = try await alice.publish(["a": 1, "far": 99])
            #expect(try await eventually { try await bob.titles() == ["a"] })
            try await alice.delete(ids[0])
            #expect(try await eventually { try await bob.titles().isEmpty })
        }
    }

    @Test("a request that the server refuses says why, and keeps neither the others nor what is sent from going on")
    func refused() async throws {
        try await PublicNotes.run(configure: { $0.queryIndexes["Note"] = ["rank"] }) { notes in
            let production: [StoreOption: any Sendable] = [.syncEnvironment: "production"]
            let alice = try notes.device("alice", nil, production)
            try await alice.publish(["a": 1])
            try await alice.sync.sync()
            let bob = try notes.device("bob", nil, production)
            try await bob.sync.following.start(FetchRequest<TestNote>(where: "body == 'x'"))
            try await bob.sync.following.start(PublicNotes.low)
            try await bob.publish(["of Bob": 2])
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["a", "of Bob"])
            let states = try await bob.followedStates()
            guard case .refused(let reason) = states[0] else {
                Issue.record("\(states)")
                return
            }
            #expect(reason.contains("Field 'body' is not marked queryable") && states[1] == .current)
            try await alice.publish(["b": 3])
            try await alice.sync.sync()
            #expect(try await alice.titles() == ["a", "b"])
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["a", "b", "of Bob"])
        }
    }

    @Test("an object that a refused request would keep stays when it no longer fits another one")
    func keptByRefused() async throws {
        try await PublicNotes.run(configure: { $0.queryIndexes["Note"] = ["rank", "body"] }) { notes in
            let production: [StoreOption: any Sendable] = [.syncEnvironment: "production"]
            let alice = try notes.device("alice", nil, production)
            let ids = try await alice.publish(["a": 1, "b": 2])
            for id in ids { try await alice.change(id) { note, _ in note.body = "x" } }
            try await alice.sync.sync()
            let bob = try notes.device("bob", nil, production)
            try await bob.sync.following.start(FetchRequest<TestNote>(where: "body == 'x'"))
            try await bob.sync.following.start(PublicNotes.low)
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["a", "b"])
            try bob.noteRefusal(ofQueriesWith: "body")
            try await alice.change(ids[0]) { note, _ in note.rank = 20 }
            try await alice.sync.sync()
            try await bob.sync.sync()
            #expect(try await bob.titles() == ["a", "b"])
        }
    }

    @Test("one entity is in stores of both databases, and an object is in the one that it was assigned to")
    func bothStores() async throws {
        try await PublicNotes.run { notes in
            let stores = [SyncDatabase.private, .public].map { database in
                PersistentStoreDescription(
                    type: .sync,
                    options: [
                        .syncServerURL: notes.world.url.absoluteString, .syncDatabase: database.rawValue,
                        .syncAPIToken: PublicNotes.token("program"), .syncWebAuthToken: PublicNotes.token("alice"),
                        .syncAutomatically: false,
                    ])
            }
            let container = try PersistentContainer(model: SyncTestModel.description, stores: stores)
            defer { try? container.close() }
            let (own, everybodys) = (container.coordinator.stores[0], container.coordinator.stores[1])
            try await container.perform { context in
                try context.make("Note", ["title": "mine", "rank": 1])
                let note = try context.make("Note", ["title": "everybody's", "rank": 2])
                try context.assign(note, to: everybodys)
                try context.save()
            }
            for store in [own, everybodys] { try await container.sync(of: store).sync() }
            let bob = try await notes.reader("bob")
            #expect(try await bob.titles() == ["everybody's"])
            try await bob.publish(["of Bob": 3])
            try await bob.sync.sync()
            try await container.sync(of: everybodys).following.start(PublicNotes.low)
            for store in [own, everybodys] { try await container.sync(of: store).sync() }
            let titles = try await container.perform { try $0.fetch(FetchRequest<TestNote>()).compactMap(\.title) }
            #expect(titles.sorted() == ["everybody's", "mine", "of Bob"])
        }
    }
}

extension SyncDevice {
    /// Has the store know queries of an attribute as refused, as it would if the server had ceased to answer them.
    fileprivate func noteRefusal(ofQueriesWith attribute: String) throws {
        let model = sync.services.settings.model
        try store.backing.writeJournal(author: SyncAuthor.name) { journal in
            var position = try FollowPosition(try journal.value(of: .token))
            let queries = try journal.followedQueries(model).filter { "\($0.query.filterBy)".contains(attribute) }
            try #require(queries.count == 1)
            for query in queries {
                position.places[query.id]?.refusal = "Field '\(attribute)' is not marked queryable"
                position.places[query.id]?.refused = Int64(Date().timeIntervalSince1970 * 1_000)
            }
            try journal.set(.token, to: try position.text)
        }
    }
}
