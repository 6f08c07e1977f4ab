import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation

@testable import BackstitchSQLite

/// A folder of its own for a test, with stores in it.
final class StoreFixture: RequestMaking, Sendable {
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
            options: try StoreOptions(
                options, specifications: SQLiteStore.optionSpecifications(for: options) + OptionSpecification.common),
            clock: clock,
            generator: generator, keepsOutbox: keepsOutbox)
    }
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
