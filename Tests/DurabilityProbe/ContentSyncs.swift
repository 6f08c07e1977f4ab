import Backstitch
import BackstitchSQLite
import CDiskCalls
import Foundation

/// Saves many objects with bytes outside the rows at once. Prints `content` and five counts: objects, synced files,
/// files synced before the commit, syncs of the commit, and syncs of folders.
struct ContentSyncs {
    let folder: URL

    init(_ folder: URL) { self.folder = folder }

    func run() throws {
        let coordinator = try PersistentStoreCoordinator(
            model: ManagedObjectModel([EntityDescription("Item", [.attribute("photo", .binary, external: true)])]),
            store: PersistentStoreDescription(
                type: .sqlite, url: folder.appending(path: "content.sqlite"),
                options: [.sqliteSynchronous: "FULL", .sqliteFollowsOtherProcesses: false]))
        let context = ManagedObjectContext(coordinator: coordinator)
        // The first commit of a log syncs its header too.
        _ = try context.insertObject(entityName: "Item")
        try context.save()
        let count = 300
        for number in 0..<count {
            let item = try context.insertObject(entityName: "Item")
            let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) } + Array("\(number)".utf8)
            try item.setValue(.data(Data(bytes)), forKey: "photo")
        }
        let files = file_syncs_so_far(), commits = syncs_so_far(), folders = folder_syncs_so_far()
        try context.save()
        print(
            "content \(count) \(file_syncs_so_far() - files) \(file_syncs_before_last_sync() - files)",
            syncs_so_far() - commits, folder_syncs_so_far() - folders)
        try coordinator.stores.first?.close()
    }
}
