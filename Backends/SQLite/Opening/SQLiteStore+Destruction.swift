public import Backstitch
import BackstitchSQL
import BackstitchSupport
public import Foundation
import GRDB

extension SQLiteStore {
    /// Removes the store's file, SQLite's files beside it, and its assets. The assets of another store that was here
    /// stay, because its file may return.
    public static func destroy(at url: URL?, options: StoreOptions) throws {
        guard let url else { return }
        let file = try SQLiteFile(url)
        let owner = try file.content() == .something ? try takeFromLog(file) : nil
        do {
            // The assets are removed last, because the file's rows name them.
            try BackstitchError.onFiles {
                for path in [file.path, file.log, file.sharedMemory] { try FileCalls.remove(path) }
            }
            try AssetDirectory.remove(of: owner, in: file.assets)
        } catch {
            throw BackstitchError(
                .storeFailure, "not all files of \(file.path) could be removed; remove the rest by hand", cause: error)
        }
    }

    private static func isInUse(_ file: SQLiteFile, cause: (any Error)? = nil) -> BackstitchError {
        BackstitchError(
            .storeFailure,
            "\(file.path) is in use: close the containers that have it open, in this process and in others, and remove it then",
            cause: cause)
    }

    /// Checks that the file is a store, and that no process has it open. Only then can SQLite remove its log.
    ///
    /// - Returns: The store's identifier; nil if it has none.
    private static func takeFromLog(_ file: SQLiteFile) throws -> UUID? {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(1)
            let queue = try DatabaseQueue(path: file.path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.writeWithoutTransaction { database in
                let identity = try SQLiteIdentity { try String.fetchOne(database, sql: $0) }
                try identity.checkRemoval(store: file.path)
                let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
                guard mode == "delete" else {
                    throw isInUse(file)
                }
                return identity.identifier
            }
        } catch {
            let explained = SQLiteFailure.explain(error, store: file.path)
            guard (error as? DatabaseError)?.resultCode == .SQLITE_BUSY else { throw explained }
            throw isInUse(file, cause: error)
        }
    }
}
