import Backstitch
import BackstitchSQLite
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A program of a user who may write neither the store's file nor its folder.
enum ReaderProbe {
    /// `nobody` of most systems.
    static let user: uid_t = 65_534

    /// Opens the file read-only. Returns the number of groups and the length of the first one's file, and again for
    /// each line of input; or the code of the error.
    static func run(_ file: URL) throws {
        // Root may write everything.
        if getuid() == 0 { guard setgid(user) == 0, setuid(user) == 0 else { throw CocoaError(.userCancelled) } }
        do {
            var description = PersistentStoreDescription(type: .sqlite, url: file)
            description.isReadOnly = true
            let container = try PersistentContainer(model: ProbeStore.model, store: description)
            repeat { say(answer { try look(container) }) } while readLine() != nil
            try container.close()
        } catch { say("\(error)") }
    }

    private static func look(_ container: PersistentContainer) throws -> String {
        let context = ManagedObjectContext(coordinator: container.coordinator)
        let groups = try context.fetch(FetchRequest<ManagedObject>(entityName: "Group"))
        let file: Data? = groups.first?["file"]
        // Past the cache, and by the connection for single rows.
        let again = try groups.first.map {
            try container.coordinator.store.rows(of: $0.entity, keys: [$0.objectID.key])
        }
        return "\(groups.count) groups, \(again?.count ?? 0) again, \(file?.count ?? 0) bytes"
    }

    private static func answer(_ body: () throws -> String) -> String {
        do { return try body() } catch { return "\(error)" }
    }

    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
