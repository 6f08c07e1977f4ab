import Backstitch
import BackstitchSQLite
import BackstitchServer
import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the states of an entity's assets", .timeLimit(.minutes(5)))
struct AssetStateListTests {
    @Test("all assets of the objects that a predicate chooses are listed with size and state; nil is left out")
    func list() async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let first = try await a.addNote("first") { note, _ in
                note.photo = Data(count: 30_000)
                note.cover = Data(count: 20_000)
                note.rank = 1
            }
            let second = try await a.addNote("second") { note, _ in
                note.photo = Data(count: 40_000)
                note.rank = 2
            }
            _ = try await a.addNote("bare")
            let here = try await a.sync.assets.states(of: "Note")
            #expect(
                here == [
                    ObjectAsset(objectID: first, key: "cover", size: 20_000, state: .local(size: 20_000)),
                    ObjectAsset(objectID: first, key: "photo", size: 30_000, state: .local(size: 30_000)),
                    ObjectAsset(objectID: second, key: "photo", size: 40_000, state: .local(size: 40_000)),
                ])
            try await a.sync.sync()
            let b = try world.device(nil, [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            try await b.sync.sync()
            let there = try await b.sync.assets.states(of: "Note", where: FetchPredicate(format: "rank == 1"))
            #expect(there.map(\.key) == ["cover", "photo"])
            #expect(there.map(\.state) == [.local(size: 20_000), .remote(size: 30_000)])
            let unknown = await #expect(throws: BackstitchError.self) { try await b.sync.assets.states(of: "Nothing") }
            #expect(unknown?.code == .invalidRequest)
            let misfit = await #expect(throws: BackstitchError.self) {
                try await b.sync.assets.states(of: "Note", where: FetchPredicate(format: "nothing == 1"))
            }
            #expect(misfit?.code == .invalidPredicate)
        }
    }

    @Test("a download that failed and a change that is set aside are told with their causes")
    func failures() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(), b = try world.device()
            let id = try await a.addNote("note") { note, _ in note.photo = Data(count: 30_000) }
            try await a.sync.sync()
            await world.faults.set { $0.endpoint.contains("asset") ? .dropConnection : nil }
            try await b.sync.sync()
            guard case .failed(.download, 30_000, let reason)? = try await b.sync.assets.states(of: "Note").first?.state
            else { throw TestFailure("\(try await b.sync.assets.states(of: "Note"))") }
            #expect(try await b.sync.assets.missing().first?.reason == reason)
            #expect(
                try await b.sync.assets.state("photo", of: id) == .failed(.download, size: 30_000, reason: reason))
            await world.faults.clear()
            try await b.sync.sync()
            #expect(try await b.sync.assets.states(of: "Note").map(\.state) == [.local(size: 30_000)])
            try await a.change(id) { note, _ in
                note.photo = Data(count: 31_000)
                try note.setValue(.double(.nan), forKey: "ratio")
            }
            try await a.sync.sync()
            guard case .failed(.upload, 31_000, let other)? = try await a.sync.assets.states(of: "Note").first?.state
            else { throw TestFailure("\(try await a.sync.assets.states(of: "Note"))") }
            #expect(other.contains("ratio"))
        }
    }

    @Test("a watcher sees an upload begin and end, then another photo, and ends with the store")
    func updates() async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            await world.faults.set { request in
                guard request.endpoint == "assets bytes" else { return nil }
                arrived.yield()
                for await _ in permits { break }
                return nil
            }
            let seen = Locked<[[ObjectAsset]]>([])
            let watcher = Task { [updates = a.sync.assets.stateUpdates(of: "Note")] in
                for try await states in updates { seen.withLock { $0.append(states) } }
            }
            func last(_ states: AssetState...) async throws -> Bool {
                try await eventually { seen.withLock { $0.last?.map(\.state) } == states }
            }
            #expect(try await last())
            let id = try await a.addNote("note") { note, _ in note.photo = Data(count: 30_000) }
            async let summary = a.sync.sync()
            for await _ in arrivals { break }
            #expect(try await last(.uploading(size: 30_000, fraction: 0)))
            permit.finish()
            #expect(try await summary.sent == 1)
            #expect(try await last(.local(size: 30_000)))
            try await a.change(id) { note, _ in note.photo = Data(count: 50_000) }
            #expect(try await last(.local(size: 50_000)))
            try a.close()
            try await watcher.value
        }
    }

    @Test("ten thousand photos are listed by a few statements, as many as ten photos are")
    func statements() async throws {
        let counts = Locked<[Int]>([])
        for count in [10, 10_000] {
            try await Scenario.run { s in
                let a = try s.device()
                try await a.edit { context in
                    for number in 0..<count {
                        let note = TestNote(context: context)
                        note.rank = number
                        note.photo = Data("photo \(number)".utf8)
                    }
                }
                // Some are paused, so that the list needs all its sources.
                let ids = try await a.read { try $0.fetch(FetchRequest<TestNote>()).prefix(5).map(\.objectID) }
                for id in ids { try await a.sync.assets.pause("photo", of: id) }
                let backing = a.store.backing as? SQLiteStore
                let before = backing?.statementCount ?? 0
                let states = try await a.sync.assets.states(of: "Note")
                if let backing { counts.withLock { $0.append(backing.statementCount - before) } }
                #expect(states.count == count)
                #expect(states.count { if case .paused(.upload, _) = $0.state { true } else { false } } == 5)
            }
        }
        let found = counts.withLock { $0 }
        print("counted: statements for 10 and 10,000 photos: \(found)")
        #expect(found.isEmpty || found[0] == found[1] && found[1] <= 12)
    }
}
