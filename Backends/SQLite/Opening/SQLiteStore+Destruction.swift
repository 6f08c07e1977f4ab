public import Backstitch
import BackstitchSQL
import BackstitchSupport
public import Foundation
import GRDB

extension SQLiteStore {
    /// Removes the store's file, what SQLite keeps beside it, and the folder of assets.
    public static func destroy(at url: URL?, options: StoreOptions) throws {
        guard let url else { return }
        let file = try SQLiteFile(url)
        if try file.content() == .something { try takeFromLog(file) }
        do {
            // The folder goes last: without the file nobody knows what is in it.
            try BackstitchError.onFiles {
                for path in [file.path, file.log, file.sharedMemory] { try FileCalls.remove(path) }
            }
            if FileManager.default.fileExists(atPath: file.assets.path) {
                try FileManager.default.removeItem(at: file.assets)
            }
        } catch {
            throw BackstitchError(
                .storeFailure, "not all files of \(file.path) could be removed; remove the rest by hand", cause: error)
        }
    }

    /// Checks that the file is a store, and that nobody has it open: only then does SQLite let go of its log.
    private static func takeFromLog(_ file: SQLiteFile) throws {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(1)
            let queue = try DatabaseQueue(path: file.path, configuration: configuration)
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { database in
                try SQLiteIdentity { try String.fetchOne(database, sql: $0) }.checkRemoval(store: file.path)
                let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
                guard mode == "delete" else {
                    throw BackstitchError(.storeFailure, "\(file.path) is in use; close it everywhere first")
                }
            }
        } catch {
            throw SQLiteFailure.explain(error, store: file.path)
        }
    }
}
