import Backstitch
import BackstitchSQLite
import Foundation
import Harness

/// The peak memory of a process that does only one thing.
enum UserMemory {
    private static let flag = "--make-users"

    /// Makes users in a new process and returns its peak memory in bytes.
    static func peak(users: Int, folder: String) throws -> Int {
        let data = try ChildProcess.output(of: [flag, "\(users)", "\(folder)/memory.sqlite"])
        let text = String(decoding: data, as: UTF8.self)
        guard let bytes = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchmarkError("the process that makes users said: \(text)")
        }
        return bytes
    }

    /// Does the work if the arguments ask for this process. Returns whether they did.
    static func runAsChild(_ arguments: [String]) throws -> Bool {
        guard arguments.count == 3, arguments[0] == flag, let users = Int(arguments[1]) else { return false }
        let store = try PersistentStoreCoordinator(
            model: Users.model,
            store: PersistentStoreDescription(type: .sqlite, url: URL(fileURLWithPath: arguments[2])))
        try Users.create(users, store)
        try store.closeStores()
        print(try ProcessMemory.peak())
        return true
    }
}
