import Backstitch
import BackstitchServer
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("a container with stores of both databases, over HTTP", .timeLimit(.minutes(3)))
struct SharedContainerTests {
    private static func token(_ name: String) -> String { "\(name)-0123456789abcdefghijklmnop" }

    /// A container whose first store has the user's own zones, and the second those of others. Both sync by themselves.
    private func container(_ user: String, in world: SyncWorld) throws -> PersistentContainer {
        let stores = [SyncDatabase.private, .shared].map { database in
            PersistentStoreDescription(
                type: .sync,
                options: [
                    .syncServerURL: world.url.absoluteString, .syncWebAuthToken: Self.token(user),
                    .syncDatabase: database.rawValue,
                ])
        }
        return try PersistentContainer(model: .withParents, stores: stores)
    }

    private func titles(_ container: PersistentContainer) async throws -> [String] {
        try await container.perform { try $0.fetch(FetchRequest<TestNote>()).compactMap(\.title).sorted() }
    }

    @Test("what others share stands beside one's own, new objects go where their parents are, and all hear of them")
    func both() async throws {
        try await SyncWorld.run(configure: { configuration in
            configuration.users = ["alice", "bob"].map {
                ZoneServerConfiguration.User(userRecordName: "_\($0)", webAuthToken: Self.token($0))
            }
        }) { world in
            let alice = try container("alice", in: world), bob = try container("bob", in: world)
            defer { for container in [alice, bob] { try? container.close() } }
            try await alice.requireSync().zones.create(named: "Club")
            try await alice.perform { context in
                let folder = try context.make("Folder", ["name": "F"])
                try context.assign(folder, toZone: "Club")
                try context.make("Note", ["title": "shared"]).setObject(folder, forKey: "folder")
                try context.make("Note", ["title": "Alice's own"])
                try context.save()
            }
            let share = try await alice.requireSync().sharing.share(zoneNamed: "Club", publicPermission: .readWrite)
            try await bob.perform { context in
                try context.make("Note", ["title": "Bob's own"])
                try context.save()
            }
            try await bob.acceptShare(at: share.url)
            #expect(try await eventually { try await titles(bob) == ["Bob's own", "shared"] })
            try await bob.perform { context in
                let folder = try #require(try context.fetch(FetchRequest<TestFolder>()).first)
                let note = TestNote(context: context), child = TestFolder(context: context)
                (note.title, note.folder) = ("of Bob", child)
                child.name = "below F"
                try child.setObject(folder, forKey: "parent")
                try context.save()
            }
            #expect(try await eventually { try await titles(alice) == ["Alice's own", "of Bob", "shared"] })
            let shared = try bob.sync(of: bob.coordinator.stores[1])
            let note = try await bob.perform { context in
                try #require(try context.fetch(FetchRequest<TestNote>(where: "title == 'of Bob'")).first).objectID
            }
            #expect(try await shared.zones.zone(of: note).name == "_alice/Club")
            let own = try await bob.perform { context in
                try #require(try context.fetch(FetchRequest<TestNote>(where: "title BEGINSWITH 'Bob'")).first).objectID
            }
            #expect(try await bob.shares(matching: [note, own]).mapValues(\.zone.name) == [note: "_alice/Club"])
            #expect(try await alice.shares(matching: [note, own]).mapValues(\.zone.name) == [note: "Club"])
            #expect(try await bob.canUpdate(note))
            #expect(try await bob.canDelete(own))
            var reading = try #require(try await alice.requireSync().sharing.share(ofZoneNamed: "Club"))
            reading.publicPermission = .readOnly
            _ = try await alice.requireSync().sharing.update(reading)
            #expect(try await eventually { try await !bob.canUpdate(note) })
            #expect(try await bob.canUpdate(own))
            // A batch request is sent to one store after the other. The caller sees the changes of the first.
            let ranks = try await bob.perform { context in
                let note = try #require(try context.existingObject(with: own) as? TestNote)
                let request = BatchUpdateRequest(entityName: "Note", set: ["rank": .value(.int(7))])
                let error = #expect(throws: BackstitchError.self) { try context.execute(request) }
                #expect(error?.code == .permissionDenied && error?.message.contains("affectedStores") == true)
                return (note.rank, try context.count(for: FetchRequest<TestNote>(where: "rank == 7")))
            }
            #expect(ranks == (7, 1))
            // An object of one store leads to none of the other.
            let error = await #expect(throws: BackstitchError.self) {
                try await bob.perform { context in
                    let own = try #require(
                        try context.fetch(FetchRequest<TestNote>(where: "title BEGINSWITH 'Bob'")).first)
                    own.folder = try context.fetch(FetchRequest<TestFolder>()).first
                    try context.save()
                }
            }
            #expect(error?.code == .crossStoreRelationship, "\(String(describing: error))")
        }
    }

    @Test("shares are followed as people come and go, and rights change", .timeLimit(.minutes(5)))
    func updates() async throws {
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(.bob)
            let bob = try await lists.joined("bob", share)
            var own = alice.sync.sharing.updates().makeAsyncIterator()
            var others = bob.sync.sharing.updates().makeAsyncIterator()
            #expect(try await others.next()?.first?.currentUser?.permission == .readWrite)
            #expect(try await own.next()?.first?.participants.count == 2)
            try await alice.sync.sync()
            #expect(try await own.next()?.first?.participants.last?.acceptanceStatus == .accepted)
            var reading = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            reading.participants[1].permission = .readOnly
            _ = try await alice.sync.sharing.update(reading)
            #expect(try await own.next()?.first?.participants.last?.permission == .readOnly)
            try await bob.sync.sync()
            #expect(try await others.next()?.first?.currentUser?.permission == .readOnly)
            try await bob.sync.sharing.leave(zoneNamed: "_alice/Club")
            #expect(try await others.next()?.isEmpty == true)
            try alice.close()
            while try await own.next() != nil {}
        }
    }

    @Test("a container without a store of the shared database says that it needs one")
    func withoutStore() async throws {
        try await SyncWorld.run { world in
            let device = try world.device()
            let url = try #require(URL(string: "https://example.org/share/x"))
            let error = await #expect(throws: BackstitchError.self) { try await device.container.acceptShare(at: url) }
            #expect(error?.code == .invalidRequest && error?.message.contains("syncDatabase") == true)
        }
    }

    @Test("a file of one database is not opened for the other", .onFiles)
    func otherDatabase() async throws {
        try await SyncWorld.run { world in
            let own = try world.device("own")
            _ = try await own.addNote("mine")
            try own.close()
            let shared = try world.device("shared", [.syncDatabase: "shared"])
            try shared.close()
            for (name, database) in [("own", "shared"), ("shared", "private")] {
                let error = #expect(throws: BackstitchError.self) {
                    try world.device(name, [.syncDatabase: database])
                }
                #expect(error?.code == .invalidOption, "\(String(describing: error))")
            }
            #expect(try await world.device("own").titles() == ["mine"])
        }
    }
}
