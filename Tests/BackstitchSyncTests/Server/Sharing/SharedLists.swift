import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

/// People with devices of their own: each has a store of the private database and one of the shared.
struct SharedLists: Sendable {
    let scenario: Scenario

    /// Runs `body` with a server that knows Alice, Bob and Carol by their addresses.
    static func run(
        limits: WireLimits = .extended, configure: (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (SharedLists) async throws -> Void
    ) async throws {
        try await Scenario.run(
            limits: limits,
            configure: { configuration in
                configuration.users = users
                configure(&configuration)
            }
        ) { try await body(SharedLists(scenario: $0)) }
    }

    /// Alice, Bob and Carol, who are invited by their addresses.
    static var users: [ZoneServerConfiguration.User] {
        ["alice", "bob", "carol"].map { name in
            var user = ZoneServerConfiguration.User(userRecordName: "_\(name)", webAuthToken: token(name))
            user.emailAddress = "\(name)@example.org"
            user.nameComponents = UserNameComponents(givenName: name.capitalized)
            return user
        }
    }

    static func token(_ name: String) -> String { "\(name)-0123456789abcdefghijklmnop" }

    /// A device of a user, with the user's own zones.
    func own(
        _ user: String, model: ManagedObjectModel = .withParents, _ more: [StoreOption: any Sendable] = [:]
    ) throws -> SyncDevice {
        let options: [StoreOption: any Sendable] = [.syncWebAuthToken: Self.token(user)]
        return try scenario.device(model: model, options.merging(more) { $1 })
    }

    /// A device of a user, with what others share.
    ///
    /// - Parameter name: The name under which it can be opened again; nil for one in memory.
    func guest(
        _ user: String, _ name: String? = nil, model: ManagedObjectModel = .withParents,
        _ more: [StoreOption: any Sendable] = [:]
    ) throws -> SyncDevice {
        let options: [StoreOption: any Sendable] = [.syncWebAuthToken: Self.token(user), .syncDatabase: "shared"]
        return try scenario.device(name, model: model, options.merging(more) { $1 })
    }

    /// Alice's device, with a zone "Club" on the server and its share. The zone contains the folder "F" with two notes.
    func club(
        everybody: Share.Permission = .none, _ participants: Share.Participant...
    ) async throws -> (alice: SyncDevice, share: Share) {
        let alice = try own("alice")
        try await alice.sync.zones.create(named: "Club")
        _ = try await alice.addFolder("F", inZone: "Club", notes: ["n1", "n2"])
        try await alice.sync.sync()
        let share = try await alice.sync.sharing.share(
            zoneNamed: "Club", title: "Our list", publicPermission: everybody, participants: participants)
        return (alice, share)
    }

    /// A device that takes part in a share, and has read it.
    func joined(
        _ user: String, _ share: Share, model: ManagedObjectModel = .withParents
    ) async throws -> SyncDevice {
        let device = try guest(user, model: model)
        try await device.sync.sharing.accept(at: share.url)
        try await device.sync.sync()
        return device
    }
}

extension Share.Participant {
    static let bob = Share.Participant(emailAddress: "bob@example.org")
    static let carol = Share.Participant(emailAddress: "carol@example.org")
    static let reader = Share.Participant(emailAddress: "bob@example.org", permission: .readOnly)
}

extension SyncDevice {
    /// Whether there is nothing of others here: no object, no zone, no share, and nothing to be sent.
    var hasNothing: Bool {
        get async throws {
            let (objects, zones, shares) = (
                try await dump(), try await sync.zones.all(), try await sync.sharing.shares()
            )
            let pending = try await sync.status.pendingCount
            return objects.isEmpty && zones.isEmpty && shares.isEmpty && pending == 0
        }
    }

    /// Adds a note to the folder "F", and saves.
    @discardableResult
    func addToFolder(_ title: String) async throws -> ObjectID {
        try await edit { context in
            let folder = try #require(try context.fetch(FetchRequest<TestFolder>(where: "name == 'F'")).first)
            let note = TestNote(context: context)
            (note.title, note.folder) = (title, folder)
            return note.objectID
        }
    }

    func retitle(_ id: ObjectID, _ title: String) async throws {
        try await change(id) { note, _ in note.title = title }
    }
}

/// Expects that a save is refused for want of a right, and that nothing of it is stored.
func expectDenied(
    _ device: SyncDevice, _ ids: [ObjectID] = [], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
) async throws {
    let before = try await device.dump()
    let error = await #expect(throws: BackstitchError.self, sourceLocation: sourceLocation) {
        try await device.edit(body)
    }
    #expect(error?.code == .permissionDenied, "\(String(describing: error))", sourceLocation: sourceLocation)
    if !ids.isEmpty {
        let named = error.map { $0.faults.isEmpty ? [$0.objectID] : $0.faults.map(\.objectID) } ?? []
        #expect(Set(named.compactMap(\.self)) == Set(ids), sourceLocation: sourceLocation)
    }
    #expect(try await device.dump() == before, sourceLocation: sourceLocation)
    #expect(try await device.sync.status.pendingCount == 0, sourceLocation: sourceLocation)
}
