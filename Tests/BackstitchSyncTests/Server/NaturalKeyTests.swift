import Backstitch
import BackstitchSync
import TestSupport
import Testing

@Suite("objects that values identify, under sync", .scenario)
struct NaturalKeyTests: ScenarioSuite {
    private static let model = ManagedObjectModel([
        EntityDescription(
            "Book", [.attribute("isbn", .string), .attribute("title", .string), .attribute("pages", .integer64)]
        ).identified(by: "isbn")
    ])
    private static let key: [String: Value] = ["isbn": "978"]

    private func make(_ values: [String: Value] = [:], on device: SyncDevice) async throws {
        try await device.edit { context in
            let book = try context.insertObject(entityName: "Book", identifiedBy: Self.key)
            for (name, value) in values { try book.setValue(value, forKey: name) }
        }
    }

    private func books(on device: SyncDevice) async throws -> [[String: Value]] {
        try await device.read { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).map { book in
                try ["isbn", "title", "pages"].reduce(into: [:]) { $0[$1] = try book.value(forKey: $1) }
            }
        }
    }

    @Test("two devices that are offline make one object, and what each has given it merges without a conflict")
    func madeTwice() async throws {
        let a = try s.device(model: Self.model), b = try s.device(model: Self.model)
        try await make(["title": "Emma"], on: a)
        try await make(["pages": 400], on: b)
        var conflicts: [SyncConflict] = []
        for device in [a, b, a] {
            let summary = try await device.sync.sync()
            conflicts += summary.conflicts
            #expect(summary.merged.isEmpty && summary.blocked.isEmpty)
        }
        #expect(conflicts.isEmpty)
        for device in [a, b] {
            #expect(try await books(on: device) == [["isbn": "978", "title": "Emma", "pages": 400]])
        }
    }

    @Test(
        "different values of one property are a conflict that the policy decides",
        arguments: ConflictResolutionPolicy.allCases)
    func conflict(_ policy: ConflictResolutionPolicy) async throws {
        let a = try s.device(policy: policy, model: Self.model), b = try s.device(policy: policy, model: Self.model)
        try await make(["title": "Emma"], on: a)
        try await make(["title": "Persuasion"], on: b)
        try await a.sync.sync()
        #expect(try await b.sync.sync().conflicts.map(\.keys) == [["title"]])
        try await a.sync.sync()
        let title: Value = policy == .serverWins ? "Emma" : "Persuasion"
        for device in [a, b] { #expect(try await books(on: device).map { $0["title"] } == [title]) }
    }

    @Test("an object stays that was made by a device which did not have the one that others delete")
    func deletedElsewhere() async throws {
        let a = try s.device(model: Self.model), b = try s.device(model: Self.model)
        try await make(on: a)
        try await a.sync.sync()
        try await delete(on: a)
        try await make(["title": "Emma"], on: b)
        try await a.sync.sync()
        for device in [b, a] { #expect(try await device.sync.sync().conflicts.isEmpty) }
        for device in [a, b] { #expect(try await books(on: device).map { $0["title"] } == ["Emma"]) }
    }

    @Test(
        "one that was deleted and made again is an edit of the one that others delete",
        arguments: ConflictResolutionPolicy.allCases)
    func madeAgain(_ policy: ConflictResolutionPolicy) async throws {
        let a = try s.device(policy: policy, model: Self.model), b = try s.device(policy: policy, model: Self.model)
        try await make(on: a)
        for device in [a, b] { try await device.sync.sync() }
        for device in [a, b] { try await delete(on: device) }
        try await make(["title": "Emma"], on: b)
        try await a.sync.sync()
        #expect(try await b.sync.sync().conflicts.map(\.kind) == [.editedHereDeletedThere])
        try await a.sync.sync()
        for device in [a, b] { #expect(try await books(on: device).count == (policy == .serverWins ? 0 : 1)) }
    }

    private func delete(on device: SyncDevice) async throws {
        try await device.edit { context in
            let book = try context.object(entityName: "Book", identifiedBy: Self.key)
            book.map(context.delete)
        }
    }

    @Test(
        "where the answer to an insert is lost and somebody deletes the object, which may be theirs, the loss is told")
    func lostAnswer() async throws {
        let a = try s.device(model: Self.model), b = try s.device(model: Self.model)
        try await make(["title": "Emma"], on: a)
        try await s.sync(a, .lostAnswer)
        try await b.sync.sync()
        try await delete(on: b)
        try await b.sync.sync()
        let conflicts = try await a.sync.sync().conflicts
        #expect(conflicts.map(\.kind) == [.editedHereDeletedThere])
        for device in [a, b] { #expect(try await books(on: device).isEmpty) }
    }
}
