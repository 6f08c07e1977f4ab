import Backstitch
import BackstitchSync
import TestSupport
import Testing

@Suite("a container's stores, by their databases", .timeLimit(.minutes(3)))
struct DatabaseStoreTests {
    @Test("are found by the database; one that the container does not have is told")
    func found() async throws {
        try await FindableUsers.run { people in
            let bob = try people.person("bob")
            #expect(try bob.container.sync(of: .private) === bob.own)
            #expect(try bob.container.sync(of: .shared) === bob.shared)
            let error = await expectError(.invalidRequest) { _ = try bob.container.sync(of: .public) }
            #expect(error?.message.contains("syncDatabase: \"public\"") == true)
        }
    }

    @Test("a guest's new object without a parent goes into a zone of somebody else by one call")
    func assigned() async throws {
        try await FindableUsers.run { people in
            let (alice, share) = try await people.club(.bob)
            let bob = try await people.joined("bob", share)
            let folder = try await bob.edit { context in
                let folder = try context.make("Folder", ["name": "of Bob"])
                try context.assign(folder, to: .shared, zone: Person.club)
                try context.make("Note", ["title": "below"]).setObject(folder, forKey: "folder")
                return folder.objectID
            }
            #expect(try await bob.shared.zones.zone(of: folder).name == Person.club)
            #expect(try await bob.shared.sync().sent == 2)
            try await alice.own.sync()
            #expect(try await alice.folders() == ["F", "of Bob"])
            #expect(try await alice.titles() == ["below", "n1", "n2"])
            // Without a zone an object of the shared store is in none, which its save says.
            let refused = await expectError(.permissionDenied) {
                try await bob.edit { context in
                    try context.assign(try context.make("Folder", ["name": "nowhere"]), to: .shared)
                }
            }
            #expect(refused?.objectID != nil)
            await expectError(.invalidRequest) {
                try await bob.edit { context in
                    try context.assign(try context.make("Folder", ["name": "nowhere"]), to: .public)
                }
            }
        }
    }
}
