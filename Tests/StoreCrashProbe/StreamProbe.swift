import Backstitch
import BackstitchSQL
import BackstitchSQLite
import Foundation

/// Streams many rows in a separate process, to measure its memory.
enum StreamProbe {
    static let rowCount = 200_000

    /// The number of rows, and the growth of the process in bytes; 0 if the system does not report it.
    static func run(_ file: URL) throws -> (visited: Int, growth: Int) {
        let model = ManagedObjectModel([
            EntityDescription("Entry", [.attribute("count", .integer64), .attribute("text", .string)])
        ])
        let coordinator = try PersistentStoreCoordinator(
            model: model, store: PersistentStoreDescription(type: .sqlite, url: file))
        let context = ManagedObjectContext(coordinator: coordinator)
        let text = String(repeating: "x", count: 500)
        var inserted = 0
        try context.execute(
            BatchInsertRequest(entityName: "Entry") { row in
                guard inserted < rowCount else { return true }
                row["count"] = .int(Int64(inserted))
                row["text"] = .string(text)
                inserted += 1
                return false
            })
        let before = try residentBytes()
        var visited = 0, peak = before
        try context.forEach(FetchRequest<ManagedObject>(entityName: "Entry"), batchSize: 1_000) { entry in
            guard entry["count"] == visited, entry["text"] == text else {
                throw BackstitchError(.internalInconsistency, "row \(visited) is not the one that was stored")
            }
            visited += 1
            if visited % 5_000 == 0 { peak = max(peak, try residentBytes()) }
        }
        try coordinator.store.close()
        return (visited, peak - before)
    }

    private static func residentBytes() throws -> Int {
        guard let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        return (Int(statm.split(separator: " ")[1]) ?? 0) * 4_096
    }
}
