import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

/// Every combination of a server's roles, a maker of an object and a change of it, with roles that change while the
/// device has unsent changes and while it has none.
@Suite("rights in the public database: roles, makers and changes", .timeLimit(.minutes(5)))
struct PublicRightsMatrixTests {
    /// A server's roles, and the rights that they give a user.
    struct Row: Sendable {
        let rules: String
        let creates: Bool
        let changesOwn: Bool
        let changesOthers: Bool

        func allows(_ maker: Maker) -> Bool { maker == .otherUser ? changesOthers : changesOwn }
    }

    /// The maker of an object, from the point of view of Bob's device.
    enum Maker: String {
        case thisDevice, otherDevice, otherUser
    }

    /// Alice's device and two of Bob's.
    struct Devices {
        let server: RoleServer
        let alice: SyncDevice
        let bob: SyncDevice
        let other: SyncDevice

        init(_ server: RoleServer) async throws {
            self.server = server
            (alice, bob) = (try await server.reader("alice"), try await server.reader("bob"))
            other = try await server.reader("bob")
        }

        /// Lets each maker publish two notes under wide rights, and Bob's device read them.
        func publish(_ round: Int) async throws -> [(maker: Maker, ids: [ObjectID])] {
            try await server.restart("Note:_world=read;_icloud=create,write")
            for device in [alice, bob, other] { try await device.sync.sync() }
            var made: [(maker: Maker, ids: [ObjectID])] = []
            for (maker, device) in [(Maker.thisDevice, bob), (.otherDevice, other), (.otherUser, alice)] {
                made.append((maker, try await device.publish(["\(maker) \(round)": 1, "\(maker) too \(round)": 1])))
                try await device.sync.sync()
            }
            try await bob.sync.sync()
            return made
        }
    }

    static let rows = [
        Row(
            rules: "Note:_world=read;_icloud=create;_creator=write", creates: true, changesOwn: true,
            changesOthers: false),
        Row(rules: "Note:_world=read;_icloud=create,write", creates: true, changesOwn: true, changesOthers: true),
        Row(rules: "Note:_world=read;_icloud=write", creates: false, changesOwn: true, changesOthers: true),
        Row(rules: "Note:_world=read;_creator=write", creates: false, changesOwn: true, changesOthers: false),
        Row(rules: "Note:_world=read;_icloud=create", creates: true, changesOwn: false, changesOthers: false),
        Row(rules: "Note:_world=read", creates: false, changesOwn: false, changesOthers: false),
        Row(rules: "Note:_world=create,write", creates: true, changesOwn: true, changesOthers: true),
        Row(rules: "*:_world=read", creates: false, changesOwn: false, changesOthers: false),
        Row(rules: "Folder:_world=read", creates: true, changesOwn: true, changesOthers: false),
    ]

    @Test(
        "each right is known before a save, and saves respect it as the server does, whoever has made an object",
        arguments: [SyncBacking.sqlite, .postgreSQL])
    func online(_ backing: SyncBacking) async throws {
        try await SyncBacking.$current.withValue(backing) {
            try await RoleServer.run { server in
                let devices = try await Devices(server)
                for (round, row) in Self.rows.enumerated() {
                    let made = try await devices.publish(round)
                    try await server.restart(row.rules)
                    try await devices.bob.sync.sync()
                    for (maker, ids) in made { try await check(row, devices.bob, maker, ids) }
                    try await checkInserts(row, devices.bob)
                }
            }
        }
    }

    private func check(_ row: Row, _ bob: SyncDevice, _ maker: Maker, _ ids: [ObjectID]) async throws {
        let may = row.allows(maker), first = ids[0], second = ids[1]
        for id in ids {
            #expect(try await bob.sync.objects.canUpdate(id) == may, "\(row), \(maker)")
            #expect(try await bob.container.canDelete(id) == may, "\(row), \(maker)")
        }
        try await attempt(row, may, bob, [first]) { context in
            let note = try context.existingObject(with: first) as? TestNote
            note?.title = "\(note?.title ?? ""), edited"
        }
        try await attempt(row, may, bob, [second]) { context in
            context.delete(try context.existingObject(with: second))
        }
    }

    private func checkInserts(_ row: Row, _ bob: SyncDevice) async throws {
        #expect(try await bob.sync.objects.canInsert("Note") == row.creates, "\(row)")
        let insertsAny = try await bob.sync.objects.canInsert(intoZoneNamed: "")
        #expect(insertsAny == (row.creates || row.rules.hasPrefix("Note")), "\(row)")
        try await attempt(row, row.creates, bob, []) { context in
            let note = TestNote(context: context)
            (note.title, note.rank) = ("new", 1)
        }
    }

    /// Saves. Expects that the server then takes the changes, or that the save is refused and changes nothing.
    private func attempt(
        _ row: Row, _ isAllowed: Bool, _ device: SyncDevice, _ ids: [ObjectID],
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) async throws {
        guard isAllowed else { return try await expectDenied(device, ids, body) }
        try await device.edit(body)
        let summary = try await device.sync.sync()
        #expect(summary.reverted.isEmpty && summary.blocked.isEmpty && summary.sent > 0, "\(row): \(summary)")
    }

    @Test("changes that were saved before their right went are taken back, whoever has made an object; others stay")
    func offline() async throws {
        try await RoleServer.run { server in
            let devices = try await Devices(server), bob = devices.bob
            for (round, row) in Self.rows.enumerated() {
                let made = try await devices.publish(round)
                var denied: Set<ObjectID> = []
                for (maker, ids) in made {
                    let (first, second) = (ids[0], ids[1])
                    #expect(try await bob.sync.objects.canUpdate(first), "\(row), \(maker)")
                    try await bob.change(first) { note, _ in note.title = "edited offline" }
                    try await bob.delete(second)
                    if !row.allows(maker) { denied.formUnion(ids) }
                }
                let new = try await bob.publish(["new \(round)": 1])
                if !row.creates { denied.formUnion(new) }
                try await server.restart(row.rules)
                let summary = try await bob.sync.sync()
                #expect(Set(summary.reverted.map(\.objectID)) == denied, "\(row)")
                #expect(summary.blocked.isEmpty, "\(row)")
                for (maker, ids) in made {
                    #expect(try await bob.sync.objects.canUpdate(ids[0]) == row.allows(maker), "\(row), \(maker)")
                }
                #expect(try await bob.sync.status.pendingCount == 0)
            }
        }
    }
}
