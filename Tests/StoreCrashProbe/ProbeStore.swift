import Backstitch
import BackstitchSQL
import BackstitchSQLite
import Foundation

/// A store with saves that are easy to check: a group with a file, and 20 items linked to it.
struct ProbeStore {
    private let store: SQLiteStore
    private let model: ResolvedModel
    private let group: ResolvedEntity
    private let item: ResolvedEntity
    private let file: URL
    private let generator = ObjectIDGenerator()

    static let model = ManagedObjectModel([
        EntityDescription(
            "Item",
            [
                .attribute("text", .string), .attribute("number", .integer64),
                .toMany("groups", "Group", inverse: "items"),
            ]),
        EntityDescription(
            "Group",
            [
                .attribute("number", .integer64), .attribute("file", .binary, external: true),
                .toMany("items", "Item", inverse: "groups"),
            ]),
    ])

    init(_ file: URL) throws {
        self.file = file
        model = try ResolvedModel(Self.model)
        group = try model.requireEntity(named: "Group")
        item = try model.requireEntity(named: "Item")
        store = try SQLiteStore(
            StoreConfiguration(model: model, url: file, options: StoreOptions(), keepsOutbox: true))
    }

    func close() throws { try store.close() }

    /// How many groups the store holds.
    func count() throws -> Int { try store.count(StoreFetchRequest(entity: group)) }

    /// Makes one save, and gives how many the store holds then. Texts get up to `length` characters.
    func save(length: Int) throws -> Int {
        let number = try count()
        let key = generator.next()
        var items = RowBatchBuilder(entity: item), groups = RowBatchBuilder(entity: group)
        groups.beginRow(key: key, version: 1)
        groups.append(int: Int64(number))
        let file = Data("file \(number)".utf8)
        let reference = store.assets.reference(to: file)
        groups.append(.asset(reference))
        let itemKeys = (0..<20).map { _ in generator.next() }
        for (index, itemKey) in itemKeys.enumerated() {
            items.beginRow(key: itemKey, version: 1)
            items.append(string: String(repeating: "x", count: length * index / 20))
            items.append(int: Int64(index))
        }
        var request = SaveChangesRequest(author: "probe")
        request.assets = [reference: .data(file)]
        request.inserts = [groups.finish(), items.finish()]
        request.links = [
            LinkChange(
                entity: group, property: try group.requireProperty(named: "items"),
                added: itemKeys.map { .init(source: key, target: $0) })
        ]
        _ = try store.save(request)
        return number + 1
    }

    /// Runs `body` while no other process can write.
    func hold(_ body: () -> Void) throws {
        try store.writeJournal(author: "probe") { journal in
            try journal.setMetadata(Data(), for: "held")
            body()
        }
    }

    /// Length of SQLite's log, in bytes.
    func logSize() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path + "-wal")
        return attributes[.size] as? Int ?? 0
    }
}
