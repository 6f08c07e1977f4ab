import Backstitch
import BackstitchPostgreSQL
import BackstitchSQLite
import Foundation
import GRDB
import Harness

extension Stage {
    /// Opens a SQLite store in the folder with its default options: WAL, `synchronous = NORMAL`, history kept.
    func sqlite(_ model: ManagedObjectModel, _ name: String) throws -> PersistentStoreCoordinator {
        try PersistentStoreCoordinator(
            model: model, store: PersistentStoreDescription(type: .sqlite, url: URL(fileURLWithPath: path(name))))
    }

    /// Opens a database of GRDB's in the folder, with a pool of connections: WAL, `synchronous = NORMAL`.
    func grdb(_ name: String) throws -> DatabasePool { try DatabasePool(path: path(name)) }

    /// Removes a database with its log files.
    func remove(_ name: String) {
        for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path(name) + ending) }
    }
}

extension ManagedObjectContext {
    /// Inserts rows through a batch request.
    func insert(_ items: ItemCells) throws {
        var row = 0
        try execute(
            BatchInsertRequest(entityName: "Item") { object in
                guard row < items.count else { return true }
                for (index, cell) in items[row].enumerated() { object[ItemCells.names[index]] = .int(cell) }
                row += 1
                return false
            })
    }
}

extension ItemCells {
    static let names = (0..<10).map { "i\($0)" }
}
