import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("unique values under sync", .scenario)
struct UniqueTests: ScenarioSuite {
    /// All orders of four meetings of three devices with the server.
    static let orders: [[Int]] = (0..<81).map { number in [number / 27, number / 9 % 3, number / 3 % 3, number % 3] }

    @Test(
        "three devices make the same object: in every order of arrival one stays, the same everywhere, with all links")
    func threeDevices() async throws {
        let s = try s
        func device(_ number: Int, _ policy: ConflictResolutionPolicy) throws -> SyncDevice {
            try s.device(policy: policy, model: UniqueModel.description, [.syncZoneName: "Z\(number)"])
        }
        for (number, order) in Self.orders.enumerated() {
            let devices = try (0..<3).map { _ in
                try device(number, number % 2 == 0 ? .serverWins : .clientWins)
            }
            // Which of them made its object first, in turn.
            for (place, device) in devices.enumerated() {
                let rank = UInt64((place + number) % 3)
                try await device.edit { context in
                    let tag = try context.make("Tag", ["name": "craft"], number: 10 + rank)
                    if rank == 2 { try tag.setValue("red", forKey: "color") }
                    if rank == 1 { try tag.setValue(7, forKey: "rank") }
                    let note = try context.make("Note", ["title": .string("note \(place)")], number: 20 + rank)
                    note["tags"] = Set([tag])
                    note["main"] = tag as ManagedObject?
                }
            }
            var merged: Set<ObjectID> = []
            for place in order { merged.formUnion(try await devices[place].sync.sync().merged.map(\.gone)) }
            for _ in 0..<3 {
                for device in devices { merged.formUnion(try await device.sync.sync().merged.map(\.gone)) }
            }
            #expect(merged == Set([11, 12].map { ObjectID(entityName: "Tag", key: key($0)) }), "\(order)")
            let fresh = try device(number, .serverWins)
            try await fresh.sync.sync()
            let notes = (0..<3).map { place in
                "Note \(20 + (place + number) % 3) main ->10 tags ->10 title 'note \(place)'"
            }
            try await s.expect(
                on: devices + [fresh], lines: ["Tag 10 color 'red' name 'craft' rank 7"] + notes, "\(order)")
            try await s.expectNothingUnsent(comment: "\(order)")
            let dump = try await fresh.dump()
            for device in devices { #expect(try await device.dump() == dump, "\(order)") }
            for device in devices + [fresh] { try device.close() }
        }
        print("counted: \(Self.orders.count) orders of arrival of unique values")
    }

    @Test("what is gone is told with what is lost of it, and reads as gone")
    func told() async throws {
        let (a, b) = try s.pair(model: UniqueModel.description)
        let first = try await a.add(["name": "x", "color": "red"], "Tag", number: 1)
        let second = try await b.add(["name": "x", "color": "blue", "rank": 3], "Tag", number: 2)
        try await a.sync.sync()
        let summary = try await b.sync.sync()
        #expect(summary.merged == [MergedObjects(stays: first, gone: second, lostKeys: ["color"])])
        #expect(summary.inserted == [first] && summary.deleted == [second])
        try await s.expect(on: [b], "Tag 1 color 'red' name 'x' rank 3")
        try await agree()
    }

    @Test("a deletion of the one that stays, by who knows nothing of the other, does not take both")
    func deletedMeanwhile() async throws {
        let (a, b) = try s.pair(model: UniqueModel.description)
        let first = try await a.add(["name": "x"], "Tag", number: 1)
        try await a.sync.sync()
        try await b.add(["name": "x", "color": "blue"], "Tag", number: 2)
        // B has pulled, and has made one of the two: A gets in first.
        try await s.atNextPush {
            try await a.delete(first)
            try await a.sync.sync()
        }
        try await b.sync.sync()
        try await agree()
        for device in [a, b] {
            let color = try await device.read { try $0.one("Tag")["color"] as String? }
            #expect(color == "blue")
        }
    }

    @Test("values that change places, or move on page by page, cost nobody an object", arguments: [1, 2_000])
    func places(page: Int) async throws {
        var limits = WireLimits.extended
        limits.page = page
        try await Scenario.run(limits: limits) { s in
            let (a, b) = try s.pair(model: UniqueModel.description)
            for (number, name) in [(1, "x"), (2, "y"), (3, "z")] {
                try await a.add(["name": .string(name)], "Tag", number: UInt64(number))
            }
            try await agree()
            // A ring in one save. Then one object changes and another takes its name, in separate commits.
            try await a.edit { context in
                for (number, name) in [(1, "y"), (2, "z"), (3, "x")] { try Self.rename(context, UInt64(number), name) }
            }
            try await a.sync.sync()
            try await a.edit { try Self.rename($0, 1, "w") }
            try await a.sync.sync()
            try await a.add(["name": "y"], "Tag", number: 4)
            try await a.sync.sync()
            try await a.edit { context in try context.one("Tag", "name == 'w'").setValue(1, forKey: "rank") }
            try await a.sync.sync()
            let summary = try await b.sync.sync()
            #expect(summary.merged.isEmpty && summary.conflicts.isEmpty && summary.parked.isEmpty)
            try await agree()
            try await s.expect(
                "Tag 1 name 'w' rank 1", "Tag 2 name 'z' rank 0", "Tag 3 name 'x' rank 0", "Tag 4 name 'y' rank 0")
        }
    }

    @Test("an object that was deleted and made again is the new one, and what led to the old one leads to it")
    func madeAgain() async throws {
        let (a, b) = try s.pair(model: UniqueModel.description)
        let old = try await a.add(["name": "x", "color": "red"], "Tag", number: 1)
        try await agree()
        try await a.edit { context in
            context.delete(try context.existingObject(with: old))
            try context.save()
            try context.make("Tag", ["name": "x"], number: 2)
        }
        try await b.edit { context in
            let note = try context.make("Note", ["title": "new"], number: 3)
            note["main"] = try context.one("Tag") as ManagedObject?
            note["tags"] = Set([try context.one("Tag")])
        }
        try await s.sync(a, b)
        try await agree()
        try await s.expect(on: [a], "Note 3 main ->2 tags ->2 title 'new'", "Tag 2 name 'x' rank 0")
    }

    @Test("what comes later and leads to the one that is gone finds the other", arguments: [false, true])
    func lateLinks(isClientWins: Bool) async throws {
        let policy: ConflictResolutionPolicy = isClientWins ? .clientWins : .serverWins
        let (a, b) = try s.pair(policy: policy, model: UniqueModel.description)
        let c = try s.device(policy: policy, model: UniqueModel.description)
        try await a.add(["name": "x"], "Tag", number: 1)
        let gone = try await b.add(["name": "x"], "Tag", number: 2)
        try await s.sync(b, c)
        // C knows only the second, edits it and links to it, and is away while the two become one.
        try await c.edit { context in
            let tag = try context.existingObject(with: gone)
            try tag.setValue("blue", forKey: "color")
            let note = try context.make("Note", ["title": "late"], number: 3)
            note["main"] = tag as ManagedObject?
            note["tags"] = Set([tag])
        }
        try await s.sync(a, b)
        try await s.settle(a, b, rounds: 3)
        try await s.expectNothingUnsent(a, b)
        try await c.sync.sync()
        try await agree()
        try await s.expect(
            on: [a, b, c], "Note 3 main ->1 tags ->1 title 'late'", "Tag 1 color 'blue' name 'x' rank 0")
    }

    @Test("what becomes one takes along what is unique within it")
    func nested() async throws {
        let (a, b) = try s.pair(model: UniqueModel.description)
        for (device, base) in [(a, UInt64(10)), (b, UInt64(20))] {
            try await device.edit { context in
                let room = try context.make("Room", ["name": "cellar"], number: base)
                let shelf = try context.make("Shelf", ["name": "left"], number: base + 1)
                shelf["room"] = room as ManagedObject?
                let own = try context.make("Shelf", ["name": .string("only \(base)")], number: base + 2)
                own["room"] = room as ManagedObject?
                let book = try context.make("Book", ["title": .string("book \(base)")])
                book["shelf"] = shelf as ManagedObject?
            }
        }
        try await a.sync.sync()
        let summary = try await b.sync.sync()
        #expect(Set(summary.merged.map(\.gone.key)) == [key(20), key(21)])
        try await agree()
        let found = try await a.read { context in
            let shelves: Set<ManagedObject> = try context.one("Room")["shelves"]
            let books: Set<ManagedObject> = try context.one("Shelf", "name == 'left'")["books"]
            return "\(shelves.count) \(books.count)"
        }
        #expect(found == "3 2")
    }

    @Test("an object that stays local yields, whichever was first")
    func local() async throws {
        let (a, b) = try s.pair(model: UniqueModel.description), c = try s.device(model: UniqueModel.description)
        try await a.add(["slug": "s", "isLocal": true, "text": "mine"], "Draft", number: 1)
        let shared = try await b.add(["slug": "s"], "Draft", number: 2)
        try await s.settle(b, c, rounds: 3)
        try await s.expectNothingUnsent(b, c)
        let summary = try await a.sync.sync()
        #expect(summary.merged.map(\.stays) == [shared])
        try await agree()
        #expect(try await c.read { try $0.one("Draft")["text"] as String? } == "mine")
    }

    @Test("the bytes of an asset come along")
    func assets() async throws {
        let (a, b) = try s.pair(model: UniqueModel.description)
        let bytes = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0) })
        try await a.add(["name": "x"], "Tag", number: 1)
        try await b.add(["name": "x", "icon": .data(bytes)], "Tag", number: 2)
        try await s.sync(a, b)
        try await agree()
        for device in [a, b] { #expect(try await device.read { try $0.one("Tag")["icon"] as Data? } == bytes) }
    }

    @Test("a constraint of what does not travel is refused by name")
    func rules() throws {
        let model = try ResolvedModel(
            ManagedObjectModel([
                EntityDescription(
                    "A", unique: [["mine"], ["own", "upper"], ["name"]],
                    [
                        .attribute("name", .string), .attribute("mine", .string).synced(.none),
                        .attribute("own", .string).synced(.upload),
                        .derived("upper", .string, from: "uppercase:(name)"),
                    ])
            ]))
        let error = #expect(throws: BackstitchError.self) { try model.checkForSync() }
        #expect(error?.faults.count == 3)
        for name in ["mine", "own", "upper"] { #expect(error?.message.contains("names \(name),") == true) }
    }

    // MARK: Doing

    private static func rename(_ context: ManagedObjectContext, _ number: UInt64, _ name: String) throws {
        try context.existingObject(with: ObjectID(entityName: "Tag", key: key(number))).setValue(
            .string(name), forKey: "name")
    }

    /// Syncs until no device has news, and expects all to hold the same.
    private func agree() async throws {
        try await s.settle(rounds: 3)
        try await s.expectNothingUnsent()
    }
}
