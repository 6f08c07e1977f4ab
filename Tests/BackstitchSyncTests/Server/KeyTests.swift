import Backstitch
import BackstitchSync
import TestSupport
import Testing

@Suite("keys of two entities, under sync", .scenario)
struct KeyTests: ScenarioSuite {
    private static let model = ManagedObjectModel([
        EntityDescription("Item", [.attribute("t", .string)]),
        EntityDescription("Detail", [.attribute("t", .string), .attribute("isDraft", .boolean, default: false)])
            .synced(where: "isDraft == false"),
    ])

    @discardableResult
    private func make(
        _ entity: String, _ number: UInt64, _ values: [String: Value] = [:], on device: SyncDevice
    ) async throws -> ObjectID {
        let id = ObjectID(entityName: entity, key: key(number))
        try await device.edit { context in
            let object = try context.insertObject(with: id)
            for (name, value) in values { try object.setValue(value, forKey: name) }
        }
        return id
    }

    private func delete(_ id: ObjectID, on device: SyncDevice) async throws {
        try await device.edit { $0.delete(try $0.existingObject(with: id)) }
    }

    private func counts(on device: SyncDevice) async throws -> [Int] {
        try await device.read { context in
            try ["Item", "Detail"].map { try context.count(for: FetchRequest<ManagedObject>(entityName: $0)) }
        }
    }

    @Test("a detail does not take its owner's key, before the owner was sent or after")
    func detail() async throws {
        let (a, b) = try s.pair(model: Self.model)
        for number in [1, 2] as [UInt64] {
            try await make("Item", number, on: a)
            if number == 2 { try await s.settle() }
            let error = await #expect(throws: BackstitchError.self) { try await make("Detail", number, on: a) }
            #expect(error?.code == .invalidRequest && error?.message.contains("Item/") == true)
        }
        try await s.settle()
        for device in [a, b] { #expect(try await counts(on: device) == [2, 0]) }
    }

    @Test("a key is not free before the server has heard of its object's deletion")
    func deleted() async throws {
        let (a, b) = try s.pair(model: Self.model)
        let item = try await make("Item", 1, on: a)
        try await s.settle()
        try await delete(item, on: a)
        let error = await #expect(throws: BackstitchError.self) { try await make("Detail", 1, on: a) }
        #expect(error?.code == .invalidRequest)
        try await a.sync.sync()
        try await make("Detail", 1, on: a)
        try await a.sync.sync()
        // A device that has not read of the deletion is told.
        let summary = try await b.sync.sync()
        #expect(summary.parked.count == 1 && summary.parked.first?.reason.contains("Item/") == true, "\(summary)")
        #expect(try await counts(on: b) == [1, 0])
    }

    @Test("of two devices that give one key the later one is told, and each keeps what it has")
    func twoDevices() async throws {
        let (a, b) = try s.pair(model: Self.model)
        try await make("Item", 1, ["t": "x"], on: a)
        try await make("Detail", 1, ["t": "y"], on: b)
        try await a.sync.sync()
        let summary = try await b.sync.sync()
        #expect(summary.blocked.count == 1 && summary.blocked.first?.reason.contains("Detail/") == true, "\(summary)")
        try await a.sync.sync()
        #expect(try await counts(on: a) == [1, 0])
        #expect(try await counts(on: b) == [0, 1])
        // The deletion of the one that was never sent is not the other's.
        try await delete(ObjectID(entityName: "Detail", key: key(1)), on: b)
        for device in [b, a, b] { try await device.sync.sync() }
        for device in [a, b] { #expect(try await counts(on: device) == [1, 0]) }
        #expect(try await b.sync.blocked.parkedRecords().isEmpty)
    }

    @Test(
        "of two objects with one key the other one is everywhere when one is deleted", arguments: [true, false],
        [true, false])
    func triedAgain(isDeletedHere: Bool, isEdited: Bool) async throws {
        let (a, b) = try s.pair(model: Self.model)
        let item = try await make("Item", 1, ["t": "x"], on: a)
        let detail = try await make("Detail", 1, ["t": "y"], on: b)
        for device in [a, b] { try await device.sync.sync() }
        if isEdited {
            try await b.edit { try $0.existingObject(with: detail).setValue("z", forKey: "t") }
            try await b.sync.sync()
        }
        if isDeletedHere { try await delete(detail, on: b) } else { try await delete(item, on: a) }
        for device in [a, b, a, b, a] { try await device.sync.sync() }
        for device in [a, b] {
            #expect(try await counts(on: device) == (isDeletedHere ? [1, 0] : [0, 1]))
            #expect(try await device.sync.blocked.parkedRecords().isEmpty)
        }
    }

    @Test("a record that has taken the place of an object's record comes when the object is deleted here")
    func replaced() async throws {
        let (a, b) = try s.pair(model: Self.model)
        let item = try await make("Item", 1, on: a)
        try await s.settle()
        try await delete(item, on: a)
        try await a.sync.sync()
        try await make("Detail", 1, on: a)
        try await a.sync.sync()
        try await b.sync.sync()
        #expect(try await counts(on: b) == [1, 0])
        try await delete(item, on: b)
        for device in [b, a, b] { try await device.sync.sync() }
        for device in [a, b] {
            #expect(try await counts(on: device) == [0, 1])
            #expect(try await device.sync.blocked.parkedRecords().isEmpty)
        }
    }

    @Test("a record whose key an object has that stays here is parked")
    func local() async throws {
        let (a, b) = try s.pair(model: Self.model)
        try await make("Detail", 1, ["isDraft": true], on: b)
        try await b.sync.sync()
        try await make("Item", 1, on: a)
        try await a.sync.sync()
        let summary = try await b.sync.sync()
        #expect(summary.parked.count == 1 && summary.parked.first?.reason.contains("Detail/") == true, "\(summary)")
        #expect(try await counts(on: b) == [0, 1])
        try await delete(ObjectID(entityName: "Detail", key: key(1)), on: b)
        try await b.sync.sync()
        #expect(try await counts(on: b) == [1, 0])
    }
}
