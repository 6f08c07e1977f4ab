import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation

@testable import BackstitchSQLite

/// A folder of its own for a test, with stores in it.
final class StoreFixture: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-sqlite-\(UUID().uuidString)")
    let model: ResolvedModel
    let generator: ObjectIDGenerator
    let clock = VirtualClock(milliseconds: 1_700_000_000_000)

    init(_ model: ManagedObjectModel = .shelf) throws {
        self.model = try ResolvedModel(model)
        generator = ObjectIDGenerator(clock: clock, random: SeededGenerator(seed: 7))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var file: URL { folder.appending(path: "store.sqlite") }

    func open(
        at url: URL? = nil, options: [StoreOption: any Sendable] = [:], keepsOutbox: Bool = false
    ) throws -> SQLiteStore {
        try SQLiteStore(configuration(url ?? file, options, keepsOutbox))
    }

    func openInMemory(keepsOutbox: Bool = false) throws -> SQLiteStore {
        try SQLiteStore(configuration(nil, [:], keepsOutbox))
    }

    func configuration(
        _ url: URL?, _ options: [StoreOption: any Sendable] = [:], _ keepsOutbox: Bool = false
    ) throws -> StoreConfiguration {
        StoreConfiguration(
            model: model, url: url,
            options: try StoreOptions(options, specifications: SQLiteStore.optionSpecifications(for: options)),
            clock: clock,
            generator: generator, keepsOutbox: keepsOutbox)
    }

    func entity(_ name: String) throws -> ResolvedEntity { try model.requireEntity(named: name) }

    func property(_ name: String, of entity: String) throws -> ResolvedProperty {
        try self.entity(entity).requireProperty(named: name)
    }

    /// New keys, rising.
    func keys(_ count: Int) -> [ObjectKey] { (0..<count).map { _ in generator.next() } }

    /// Rows of an entity; columns that are not given are null.
    func rows(_ entity: String, _ rows: [(ObjectKey, [String: Value])], version: Int64 = 1) throws -> RowBatch {
        let entity = try self.entity(entity)
        var builder = RowBatchBuilder(entity: entity, capacity: rows.count)
        for (key, values) in rows {
            builder.beginRow(key: key, version: version)
            for column in entity.columns { builder.append(values[column.name] ?? .null) }
        }
        return builder.finish()
    }

    func rows(_ entity: String, _ key: ObjectKey, _ values: [String: Value] = [:], version: Int64 = 1) throws
        -> RowBatch
    {
        try rows(entity, [(key, values)], version: version)
    }

    /// An update of stored rows, as a context would make it.
    func update(_ originals: RowBatch, _ change: (Int) -> [String: Value]) throws -> RowUpdate {
        var builder = RowBatchBuilder(entity: originals.entity)
        var changed: [PropertySet] = []
        for row in 0..<originals.count {
            let values = change(row)
            builder.beginRow(key: originals.keys[row], version: originals.versions[row])
            var slots = PropertySet()
            for column in originals.entity.columns {
                if let value = values[column.name] {
                    slots.insert(column.slot)
                    builder.append(value)
                } else {
                    builder.appendCell(column.slot, row: row, of: originals)
                }
            }
            changed.append(slots)
        }
        return RowUpdate(rows: builder.finish(), originals: originals, changed: changed)
    }

    func links(
        _ property: String, of entity: String, added: [(ObjectKey, ObjectKey)] = [],
        removed: [(ObjectKey, ObjectKey)] = []
    ) throws -> LinkChange {
        LinkChange(
            entity: try self.entity(entity), property: try self.property(property, of: entity),
            added: added.map { .init(source: $0.0, target: $0.1) },
            removed: removed.map { .init(source: $0.0, target: $0.1) })
    }
}

extension SQLiteStore {
    /// Saves what `fill` puts into a request.
    @discardableResult
    func save(author: String? = nil, _ fill: (inout SaveChangesRequest) throws -> Void) throws -> SaveResult {
        var request = SaveChangesRequest(author: author)
        try fill(&request)
        return try save(request)
    }

    /// Every row of an entity, in the order of keys.
    func all(_ entity: ResolvedEntity) throws -> RowBatch { try fetch(StoreFetchRequest(entity: entity)) }
}

extension RowBatch {
    /// Values by key and name, for comparisons.
    var contents: [ObjectKey: [String: Value]] {
        Dictionary(
            uniqueKeysWithValues: (0..<count).map { row in
                (keys[row], Dictionary(uniqueKeysWithValues: entity.columns.map { ($0.name, value(row, $0.slot)) }))
            })
    }
}
