import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

/// Alice, Bob and Carol before a server on a folder, which they reach over HTTP.
final class FindableUsers: Sendable {
    private let world: SyncWorld
    private let met = Locked<[Person]>([])

    private init(_ world: SyncWorld) { self.world = world }

    static func run(_ body: (FindableUsers) async throws -> Void) async throws {
        let storage = FileManager.default.temporaryDirectory.appending(
            path: "backstitch-people-\(ObjectIDGenerator().next().uuidString)")
        defer { try? FileManager.default.removeItem(at: storage) }
        try await SyncWorld.run(configure: { configuration in
            configuration.users = SharedLists.users
            configuration.storage = .directory(storage)
        }) { world in
            let people = FindableUsers(world)
            defer { for person in people.met.withLock({ $0 }) { try? person.container.close() } }
            try await body(people)
        }
    }

    /// A device of a user, whose stores are in files of its own.
    func person(
        _ user: String, on device: String = "phone", _ more: [StoreOption: any Sendable] = [:]
    ) throws -> Person {
        let stores = try [SyncDatabase.private, .shared].map { database in
            let place = try SyncBacking.current.place(
                of: "\(user)-\(device)-\(database.rawValue)", in: world.folder(of: "people"))
            var options: [StoreOption: any Sendable] = [
                .syncServerURL: world.url.absoluteString, .syncWebAuthToken: SharedLists.token(user),
                .syncDatabase: database.rawValue, .syncAutomatically: false, .syncOnSave: false,
                .syncRequestTimeout: 5,
            ]
            options.merge(place.options) { $1 }
            options.merge(more) { $1 }
            return PersistentStoreDescription(type: .sync, url: place.url, options: options)
        }
        let person = try Person(PersistentContainer(model: .withParents, stores: stores))
        met.withLock { $0.append(person) }
        return person
    }

    /// Alice, with a zone "Club" on the server and its share. The zone contains the folder "F" with the notes "n1" and
    /// "n2".
    func club(
        everybody: Share.Permission = .none, _ participants: Share.Participant...
    ) async throws -> (alice: Person, share: Share) {
        let alice = try person("alice")
        try await alice.own.zones.create(named: "Club")
        try await alice.edit { context in
            let folder = try context.make("Folder", ["name": "F"])
            try context.assign(folder, toZone: "Club")
            for title in ["n1", "n2"] {
                try context.make("Note", ["title": .string(title)]).setObject(folder, forKey: "folder")
            }
        }
        try await alice.own.sync()
        let share = try await alice.own.sharing.share(
            zoneNamed: "Club", title: "Our list", publicPermission: everybody, participants: participants)
        return (alice, share)
    }

    /// A device of a user who takes part in a share, and has read it.
    func joined(
        _ user: String, _ share: Share, on device: String = "phone", _ more: [StoreOption: any Sendable] = [:]
    ) async throws -> Person {
        let person = try person(user, on: device, more)
        try await person.container.acceptShare(at: share.url)
        try await person.shared.sync()
        return person
    }
}

/// A user with a program as Documentation/Sharing.md has it: a store of the user's own zones, and one of those of
/// others. Neither syncs by itself.
struct Person: Sendable {
    let container: PersistentContainer
    /// Steers the store of the private database.
    let own: SyncController
    /// Steers the store of the shared database.
    let shared: SyncController

    fileprivate init(_ container: PersistentContainer) throws {
        self.container = container
        own = try container.sync(of: container.coordinator.stores[0])
        shared = try container.sync(of: container.coordinator.stores[1])
    }

    /// The folder "F"'s zone, as guests of Alice see it.
    static let club = "_alice/Club"

    // MARK: Objects

    /// Changes objects and saves.
    @discardableResult
    func edit<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await container.perform { context in
            let result = try body(context)
            try context.save()
            return result
        }
    }

    /// The titles of all notes, in order.
    func titles() async throws -> [String] {
        try await container.perform { try $0.fetch(FetchRequest<TestNote>()).compactMap(\.title).sorted() }
    }

    func note(_ title: String) async throws -> ObjectID {
        try await container.perform { context in
            try #require(try context.fetch(FetchRequest<TestNote>(where: "title == '\(title)'")).first).objectID
        }
    }

    func set(_ id: ObjectID, _ values: [String: Value]) async throws {
        try await edit { context in
            let object = try context.existingObject(with: id)
            for (key, value) in values { try object.setValue(value, forKey: key) }
        }
    }

    func delete(_ id: ObjectID) async throws { try await edit { $0.delete(try $0.existingObject(with: id)) } }

    /// Adds a note to the folder "F".
    @discardableResult
    func addToClub(_ title: String) async throws -> ObjectID {
        try await edit { context in
            let folder = try #require(try context.fetch(FetchRequest<TestFolder>(where: "name == 'F'")).first)
            let note = TestNote(context: context)
            (note.title, note.folder) = (title, folder)
            return note.objectID
        }
    }

    // MARK: Shares

    /// Changes the share of the own zone "Club", as the server has it.
    func changeShare(_ body: (inout Share) -> Void) async throws {
        var share = try #require(try await own.sharing.share(ofZoneNamed: "Club"))
        body(&share)
        _ = try await own.sharing.update(share)
    }

    /// Whether there is nothing of others here: no note, no zone, no share, and nothing to be sent to them.
    var hasNothingOfOthers: Bool {
        get async throws {
            let (titles, zones, shares) = (
                try await titles(), try await shared.zones.all(), try await shared.sharing.shares()
            )
            let pending = try await shared.status.pendingCount
            return titles.isEmpty && zones.isEmpty && shares.isEmpty && pending == 0
        }
    }
}

/// Expects an error with a code, and gives it.
@discardableResult
func expectError(
    _ code: BackstitchError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> BackstitchError? {
    let error = await #expect(throws: BackstitchError.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
    return error
}
