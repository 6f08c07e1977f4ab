import Backstitch
import BackstitchSQLite
import CDiskCalls
import Foundation

/// Saves one by one into a SQLite file. Prints for each setting: its name, how many saves, and the fewest syncs within
/// one, and within making one durable.
struct StoreSyncs {
    let folder: URL

    init(_ folder: URL) { self.folder = folder }

    func run() throws {
        for setting in ["FULL", "NORMAL"] {
            let model = ManagedObjectModel([EntityDescription("Item", [.attribute("number", .integer64)])])
            let coordinator = try PersistentStoreCoordinator(
                model: model,
                store: PersistentStoreDescription(
                    type: .sqlite, url: folder.appending(path: "\(setting).sqlite"),
                    options: [.sqliteSynchronous: setting, .sqliteFollowsOtherProcesses: false]))
            let context = ManagedObjectContext(coordinator: coordinator)
            guard let store = coordinator.stores.first as? SQLiteStore else { throw CocoaError(.coderReadCorrupt) }
            var fewest = UInt.max, fewestLater = UInt.max
            for number in 0..<20 {
                let item = try context.insertObject(entityName: "Item")
                try item.setValue(.int(Int64(number)), forKey: "number")
                let before = syncs_so_far()
                try context.save()
                let saved = syncs_so_far()
                fewest = min(fewest, saved - before)
                try store.makeDurable()
                fewestLater = min(fewestLater, syncs_so_far() - saved)
            }
            print("\(setting) 20 \(fewest) \(fewestLater)")
            try store.close()
        }
    }
}
