import Backstitch
import BackstitchSimulator
import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("held uploads at a server that takes no record without its parent", .timeLimit(.minutes(3)))
struct PlainHeldUploadTests {
    private static let model = ManagedObjectModel([
        EntityDescription(
            "Film",
            [
                .attribute("title", .string), .attribute("data", .binary, external: true),
                .toOne("series", "Film", inverse: "parts"),
                .toMany("parts", "Film", inverse: "series", delete: .cascade),
            ]
        ).parent("series")
    ])
    private static let film = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })

    /// Makes a film, below another one where one is given.
    private func add(
        _ title: String, to device: SyncDevice, data: Data? = nil, below series: ObjectID? = nil
    ) async throws -> ObjectID {
        try await device.edit { context in
            let film = try context.make("Film", ["title": .string(title), "data": data.map(Value.data) ?? .null])
            if let series { film["series"] = try context.existingObject(with: series) }
            return film.objectID
        }
    }

    /// Puts a film below another one, or below none.
    private func put(_ film: ObjectID, below series: ObjectID?, by device: SyncDevice) async throws {
        try await device.edit { context in
            let object = try context.existingObject(with: film)
            object["series"] = try series.map { try context.existingObject(with: $0) }
        }
    }

    /// Runs `body` while uploads of a device are held, then lets them go. All syncs must succeed.
    ///
    /// - Parameter body: Gets a function that begins another sync of the device, beside the held uploads.
    private func whileStuck(
        _ world: PlainWorld, _ device: SyncDevice, _ body: (_ beginSync: () -> Void) async throws -> Void
    ) async throws {
        let isOpen = Locked(false), held = Locked(0)
        world.interfere { request, _ in
            guard request.path.contains("/upload/") else { return nil }
            held.withLock { $0 += 1 }
            let end = Date(timeIntervalSinceNow: 60)
            while !isOpen.withLock({ $0 }), Date() < end { Thread.sleep(forTimeInterval: 0.005) }
            return nil
        }
        defer {
            isOpen.withLock { $0 = true }
            world.interfere(nil)
        }
        device.sync.services.heldUploads.perBatch = 20_000
        let calls = Locked<[Task<Void, any Error>]>([])
        let beginSync = { calls.withLock { $0.append(Task { _ = try await device.sync.sync() }) } }
        beginSync()
        #expect(try await eventually { held.withLock { $0 } > 0 })
        try await body(beginSync)
        isOpen.withLock { $0 = true }
        world.interfere(nil)
        for call in calls.withLock({ $0 }) { try await call.value }
    }

    /// The titles of all films, each with its parent's title and the size of its bytes.
    private static func tree(_ device: SyncDevice) async throws -> [String] {
        try await device.read { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Film")).map { film in
                let title: String? = film["title"], series: ManagedObject? = film["series"], data: Data? = film["data"]
                let above: String? = series?["title"]
                return "\(title ?? "") below \(above ?? "nothing"), \(data?.count ?? 0) bytes"
            }.sorted()
        }
    }

    private func refused(_ world: PlainWorld) -> Int { world.server.count(ofFailures: "VALIDATING_REFERENCE_ERROR") }

    @Test("what hangs on a new object waits with its film, at any depth, and others go; no record is refused")
    func children() async throws {
        try await PlainWorld.run(PlainBehavior(), hasUsers: true) { world in
            let user: [StoreOption: any Sendable] = [.syncWebAuthToken: "_alice", .syncRequestTimeout: 60]
            let a = try world.device(model: Self.model, user), b = try world.device(model: Self.model, user)
            try await a.sync.sync()
            let series = try await add("series", to: a, data: Self.film)
            let part = try await add("part", to: a, below: series)
            _ = try await add("scene", to: a, below: part)
            let old = try await add("alone", to: a)
            try await whileStuck(world, a) { beginSync in
                beginSync()
                #expect(
                    try await eventually {
                        try await b.sync.sync()
                        return try await b.values("title", of: "Film") == ["alone"]
                    })
                // Another one, and one that the server has already, come below it meanwhile.
                _ = try await add("late", to: a, below: series)
                try await put(old, below: series, by: a)
                let free = try await add("free", to: a)
                beginSync()
                #expect(
                    try await eventually {
                        try await b.sync.sync()
                        return try await b.read { (try? $0.existingObject(with: free)) != nil }
                    })
                #expect(try await b.values("title", of: "Film") == ["alone", "free"])
            }
            try await a.sync.sync()
            try await b.sync.sync()
            #expect(try await Self.tree(b) == Self.tree(a))
            #expect(try await b.values("title", of: "Film").count == 6)
            #expect(refused(world) == 0)
            #expect(try await a.sync.status.pendingCount == 0)
        }
    }

    @Test("a parent that is deleted while its film is on its way takes its children along, and nothing waits for it")
    func deletedParent() async throws {
        try await PlainWorld.run(PlainBehavior(), hasUsers: true) { world in
            let user: [StoreOption: any Sendable] = [.syncWebAuthToken: "_alice", .syncRequestTimeout: 60]
            let a = try world.device(model: Self.model, user), b = try world.device(model: Self.model, user)
            try await a.sync.sync()
            let series = try await add("series", to: a, data: Self.film)
            let part = try await add("part", to: a, below: series)
            try await whileStuck(world, a) { beginSync in
                try await put(part, below: nil, by: a)
                try await a.delete(series)
                beginSync()
                #expect(
                    try await eventually {
                        try await b.sync.sync()
                        return try await b.values("title", of: "Film") == ["part"]
                    })
            }
            try await a.sync.sync()
            try await b.sync.sync()
            #expect(try await b.dump() == a.dump())
            #expect(refused(world) == 0)
            #expect(try await a.sync.status.pendingCount == 0)
        }
    }

    @Test("a conflict after the upload brings the film again, since the server may have used its receipt up")
    func conflict() async throws {
        try await PlainWorld.run(PlainBehavior(), hasUsers: true) { world in
            let user: [StoreOption: any Sendable] = [.syncWebAuthToken: "_alice", .syncRequestTimeout: 60]
            let a = try world.device(model: Self.model, user), b = try world.device(model: Self.model, user)
            let film = try await add("film", to: a)
            try await a.sync.sync()
            try await b.sync.sync()
            try await a.set(film, ["data": .data(Self.film)])
            try await whileStuck(world, a) { _ in
                try await b.set(film, ["title": "of b"])
                try await b.sync.sync()
            }
            try await a.sync.sync()
            try await b.sync.sync()
            for device in [a, b] {
                #expect(try await device.values("title", of: "Film") == ["of b"])
                let data: Data? = try await device.read { try $0.existingObject(with: film)["data"] }
                #expect(data == Self.film)
            }
            #expect(try await a.sync.status.pendingCount == 0)
            #expect(world.server.counts["upload", default: 0] >= 2)
        }
    }
}
