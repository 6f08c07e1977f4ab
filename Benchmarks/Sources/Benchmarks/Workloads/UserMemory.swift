import Backstitch
import BackstitchSQLite
import Foundation
import Harness

/// Peak memory, of a process that does one thing only.
enum UserMemory {
    private static let flag = "--make-users"

    /// How many bytes of memory a process took at most that made users.
    static func peak(users: Int, folder: String) throws -> Int {
        let data = try ChildProcess.output(of: [flag, "\(users)", "\(folder)/memory.sqlite"])
        let text = String(decoding: data, as: UTF8.self)
        guard let bytes = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchmarkError("the process that makes users said: \(text)")
        }
        return bytes
    }

    /// Does the work if the arguments say that this is that process.
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
