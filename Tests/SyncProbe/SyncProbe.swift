import Backstitch
import BackstitchPostgreSQL
import BackstitchSQLite
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport

/// A device in a process of its own: opens a synced store and does the tasks on the lines of its standard input.
///
/// Arguments: the folder of the store or the address of its database, the server's address, the name of the zone, and
/// further options as `name=text`. Each line has one line as its answer, with two exceptions: `storm` saves without end
/// and reports each save before and after, and `work` does so until `rest`. With the option `syncConnectivity` the
/// store follows the machine's network. With `network` as its only argument it is a ``NetworkProbe``.
@main
struct SyncProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.dropFirst() == ["network"] { return try await NetworkProbe.run(lines()) }
        guard arguments.count >= 4 else {
            say("usage: SyncProbe FOLDER SERVER ZONE [NAME=TEXT …]")
            exit(2)
        }
        StoreRegistry.register(SQLiteStore.self)
        StoreRegistry.register(PostgreSQLStore.self)
        let container: PersistentContainer
        do { container = try open(arguments) } catch {
            say("refused \(error)".oneLine)
            exit(1)
        }
        let sync = try container.requireSync()
        say("ready \(try await sync.status.state)")
        var work: Task<Void, any Error>?
        for await line in lines() {
            let words = line.split(separator: " ").map(String.init)
            do {
                switch words.first {
                case "work": work = begin(words, container, zone: try await zone(of: sync))
                case "rest":
                    work?.cancel()
                    _ = await work?.result
                    say("rested")
                default: try await answer(words, container, sync)
                }
            } catch {
                say("failed \(error)".oneLine)
            }
        }
        try container.close()
    }

    private static func open(_ arguments: [String]) throws -> PersistentContainer {
        var options: [StoreOption: any Sendable] = [
            .syncServerURL: arguments[2], .syncZoneName: arguments[3], .syncPollInterval: 1, .syncRequestTimeout: 5,
        ]
        for argument in arguments.dropFirst(4) {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            let option = StoreOption(rawValue: parts[0])
            options[option] =
                option == .syncConnectivity ? NetworkMonitor.shared : parts.count > 1 ? parts[1] : ""
        }
        let url = arguments[1].hasPrefix("postgres:") ? URL(string: arguments[1]) : URL(filePath: arguments[1])
        return try PersistentContainer(
            model: SyncTestModel.description, store: .init(type: .sync, url: url, options: options))
    }

    /// `work NAME SEED NUMBER`
    private static func begin(
        _ words: [String], _ container: PersistentContainer, zone: String?
    ) -> Task<Void, any Error> {
        var work = Work(name: words[1], seed: UInt64(words[2]) ?? 0, number: Int(words[3]) ?? 0, zone: zone)
        return Task {
            while !Task.isCancelled {
                try await work.step(container)
                try? await Task.sleep(for: .milliseconds(work.pause()))
            }
        }
    }

    /// The store's zone of another user; nil in a zone of the user's own.
    private static func zone(of sync: SyncController) async throws -> String? {
        try await sync.zones.all().first { $0.ownerName != nil }?.name
    }

    /// The checksums of the films that are here, each read piece by piece.
    private static func films(_ container: PersistentContainer) async throws -> [String] {
        let films = try await container.perform { context in
            try context.fetch(FetchRequest<TestNote>()).compactMap { $0["photo"] as Asset? }
        }
        var checksums: [String] = []
        for film in films where film.isHere {
            var hash = SHA256()
            for try await piece in film.pieces { hash.update(data: piece) }
            checksums.append(AssetChecksum(hash.finalize()).wire)
        }
        return checksums
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
        case "film":
            let film = try Asset(contentsOf: URL(filePath: words[1]))
            try await container.perform { context in
                TestNote(context: context)["photo"] = film
                try context.save()
            }
            say("added \(film.checksum)")
        case "films": say("films " + (try await films(container)).joined(separator: ","))
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
            say("status \(status.state) \(status.pendingCount) \(status.blockedCount)")
        case "tags":
            try await container.perform { context in
                for name in words.dropFirst() {
                    let tag = TestTag(context: context)
                    tag.name = name
                }
                try context.save()
            }
            say("tagged")
        case "share":
            say(
                "shared \(try await sync.sharing.share(zoneNamed: "", publicPermission: .readWrite).url.absoluteString)"
            )
        case "accept":
            guard let url = URL(string: words[1]) else { return say("unknown") }
            say("accepted \(try await sync.sharing.accept(at: url).zone.name)")
        case "sync":
            do { say("synced \(try await sync.sync().sent)") } catch let error as BackstitchError
                where error.code == .syncPaused
            {
                say("stands by")
            }
        case "dump": say("dump " + (try await dump(container)))
        case "sh": say(NetworkProbe.shell(words.dropFirst().joined(separator: " ")))
        case "storm":
            var storm = Storm(seed: UInt64(words[1]) ?? 0, container: container)
            try await storm.run()
        default: say("unknown")
        }
    }

    /// Each note as `KEY|TITLE|BODY|RANK|TAG,TAG`, in the order of keys.
    private static func dump(_ container: PersistentContainer) async throws -> String {
        try await container.perform { context in
            try context.fetch(FetchRequest<TestNote>()).sorted { $0.key < $1.key }.map { note in
                let tags = note.tags.map(\.key).sorted().map(\.uuidString).joined(separator: ",")
                return "\(note.key.uuidString)|\(note.title ?? "")|\(note.body ?? "")|\(note.rank)|\(tags)"
            }.joined(separator: " ")
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
