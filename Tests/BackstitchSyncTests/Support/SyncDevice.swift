import Backstitch
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

/// A device: a container with a synced store.
final class SyncDevice: Sendable {
    let container: PersistentContainer
    let store: SyncStore
    var sync: SyncController { store.sync }
    private let closed = Locked(false)

    convenience init(
        model: ManagedObjectModel = SyncTestModel.description, options: [StoreOption: any Sendable], url: URL?
    ) throws {
        try self.init(PersistentContainer(model: model, store: .init(type: .sync, url: url, options: options)))
    }

    init(_ container: PersistentContainer) throws {
        self.container = container
        let store = container.coordinator.store
        self.store = try #require(store as? SyncStore ?? (store as? ScenarioStore)?.synced)
    }

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

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await container.perform(body)
    }

    /// Makes a note and saves.
    func addNote(
        _ title: String, _ more: @escaping @Sendable (TestNote, ManagedObjectContext) throws -> Void = { _, _ in }
    )
        async throws -> ObjectID
    {
        try await edit { context in
            let note = TestNote(context: context)
            note.title = title
            try more(note, context)
            return note.objectID
        }
    }

    /// Makes `count` notes in one save.
    func addNotes(_ count: Int) async throws -> [ObjectID] {
        try await edit { context in
            try (0..<count).map { number in
                try context.make("Note", ["title": .string("note \(number)"), "rank": .int(Int64(number))]).objectID
            }
        }
    }

    /// Changes a note and saves.
    func change(_ id: ObjectID, _ body: @escaping @Sendable (TestNote, ManagedObjectContext) throws -> Void)
        async throws
    {
        try await edit { context in
            guard let note = try context.existingObject(with: id) as? TestNote else { return }
            try body(note, context)
        }
    }

    func delete(_ ids: ObjectID...) async throws {
        try await edit { context in
            for id in ids { context.delete(try context.existingObject(with: id)) }
        }
    }

    func titles() async throws -> [String] {
        try await read { context in try context.fetch(FetchRequest<TestNote>()).compactMap(\.title).sorted() }
    }

    /// Makes an object by keys and saves; `number` gives it a key that can be told (``TestSupport/key(_:)``).
    @discardableResult
    func add(
        _ values: [String: Value] = [:], _ entity: String = "Note", number: UInt64? = nil
    ) async throws -> ObjectID {
        try await edit { try $0.make(entity, values, number: number).objectID }
    }

    /// Sets values by keys and saves.
    func set(_ id: ObjectID, _ values: [String: Value]) async throws {
        try await edit { context in
            let object = try context.existingObject(with: id)
            for (key, value) in values { try object.setValue(value, forKey: key) }
        }
    }

    /// The texts that an attribute has, in order.
    func values(_ key: String, of entity: String = "Note") async throws -> [String] {
        try await read { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: entity)).map { object in
                if case .string(let text) = try object.value(forKey: key) { text } else { "nil" }
            }.sorted()
        }
    }

    /// Everything that is in the store, as text, in one order.
    func dump() async throws -> [String] {
        try await read { context in
            try context.model.entities.flatMap { entity in
                try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name)).map { object in
                    let values = try entity.columns.map {
                        "\($0.name)=\(try Self.stored(object, $0)?.summary ?? "gone")"
                    }
                    let links = entity.ownedLinks.map { property in
                        let targets: Set<ManagedObject> = object[property.name]
                        return "\(property.name)=\(targets.map(\.key).sorted().map(\.uuidString))"
                    }
                    return "\(object.objectID) \((values + links).joined(separator: " "))"
                }
            }.sorted()
        }
    }

    /// A value as the store has it. An asset is given by its name, so that it also counts before its download.
    static func stored(_ object: ManagedObject, _ column: ResolvedProperty) throws -> Value? {
        let store = object.managedObjectContext?.coordinator.store
        guard let rows = try store?.rows(of: object.entity, keys: [object.key]), rows.count == 1 else { return nil }
        let value = rows.value(0, column.slot)
        // A reference to what is not there reads as nil, on every device.
        if case .object(let id) = value, let context = object.managedObjectContext {
            return (try? context.existingObject(with: id)) == nil ? .null : value
        }
        return value
    }

    var isClosed: Bool { closed.withLock { $0 } }

    func close() throws {
        closed.withLock { $0 = true }
        try container.close()
    }
}
