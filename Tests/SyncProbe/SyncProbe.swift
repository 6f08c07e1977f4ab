import Backstitch
import BackstitchSQLite
import BackstitchSync
import Foundation

/// A device in a process of its own: opens a synced store and does what the lines of its standard input say.
///
/// Arguments: the folder of the store, the server's address, the name of the zone. Each line is answered by one, but for
/// `storm`, which saves without end and tells each save before and after.
@main
struct SyncProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else {
            say("usage: SyncProbe FOLDER SERVER ZONE")
            exit(2)
        }
        StoreRegistry.register(SQLiteStore.self)
        let container = try PersistentContainer(
            model: SyncTestModel.description,
            store: .init(
                type: .sync, url: URL(filePath: arguments[1]),
                options: [
                    .syncServerURL: arguments[2], .syncZoneName: arguments[3], .syncPollInterval: 1,
                    .syncRequestTimeout: 5,
                ]))
        let sync = try container.requireSync()
        say("ready \(try await sync.status.state)")
        for await line in lines() {
            do { try await answer(line.split(separator: " ").map(String.init), container, sync) } catch {
                say("failed \(error)".replacing("\n", with: " "))
            }
        }
        try container.close()
    }

    private static func answer(
        _ words: [String], _ container: PersistentContainer, _ sync: SyncController
    ) async throws {
        switch words.first {
        case "add":
            let title = words.dropFirst().joined(separator: " ")
            let id = try await container.perform { context in
                let note = TestNote(context: context)
                note.title = title
                try context.save()
                return note.objectID
            }
            say("added \(id.key.uuidString)")
        case "photo":
            let size = Int(words[1]) ?? 0
            try await container.perform { context in
                let note = TestNote(context: context)
                note.title = "with photo"
                note.photo = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                try context.save()
            }
            say("added")
        case "titles":
            let titles = try await container.perform { context in
                try context.fetch(FetchRequest<TestNote>()).compactMap(\.title).sorted()
            }
            say("titles " + titles.joined(separator: ","))
        case "count":
            let count = try await container.perform { try $0.count(for: FetchRequest<TestNote>()) }
            say("count \(count) \(try await sync.status.isFirstSyncComplete ? "complete" : "and more")")
        case "status":
            let status = try await sync.status
            say("status \(status.state) \(status.pendingCount)")
        case "storm":
            var storm = Storm(seed: UInt64(words[1]) ?? 0, container: container)
            try await storm.run()
        default: say("unknown")
        }
    }

    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// The lines of the standard input, read on a thread of their own.
    private static func lines() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }
}
