import Backstitch
import BackstitchSQL
import BackstitchSQLite
import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A program that works on a store. The tests kill it, or take the disk from it.
@main
struct StoreCrashProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { throw BackstitchError(.invalidRequest, "StoreCrashProbe COMMAND FILE") }
        let file = URL(fileURLWithPath: arguments[2])
        switch arguments[1] {
        case "save": try saveForever(file)
        case "create": try create(file, microseconds: arguments.count > 3 ? UInt32(arguments[3]) ?? 0 : 0)
        case "make": try MigrationProbe.make(file)
        case "migrate":
            try MigrationProbe.migrate(file, microseconds: arguments.count > 3 ? UInt32(arguments[3]) : nil)
        case "limit": try saveUnderLimits(file)
        case "hold": try hold(file)
        case "read": try ReaderProbe.run(file)
        case "stream":
            let (visited, growth) = try StreamProbe.run(file)
            say("\(visited) \(growth)")
        case "tick": try tick(file, times: arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0)
        case "listen": try await listen(file, saves: arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0)
        case "close": try close(file, times: arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0)
        default: throw BackstitchError(.invalidRequest, "there is no command \(arguments[1])")
        }
    }

    /// Saves until it is killed, and says how many saves the store holds after each.
    private static func saveForever(_ file: URL) throws {
        let store = try ProbeStore(file)
        // Long texts fill SQLite's log within a few saves. So some of the kills hit while it is moved into the file.
        while true { say("\(try store.save(length: 100_000))") }
    }

    /// Makes a store, and kills itself meanwhile.
    private static func create(_ file: URL, microseconds: UInt32) throws {
        Thread.detachNewThread {
            usleep(microseconds * 1_000)
            kill(getpid(), SIGKILL)
        }
        _ = try ProbeStore(file)
        pause()
    }

    /// Saves under every limit of the size of files, from none to enough, so that each write of a save fails once.
    /// Prints the number of failures and the number of saves in the store.
    private static func saveUnderLimits(_ file: URL) throws {
        signal(SIGXFSZ, SIG_IGN)
        let store = try ProbeStore(file)
        var failures = 0, saves = 0
        for pages in 0..<120 {
            let size = try store.logSize()
            try setLimit(UInt64(max(0, size - 8_192 + pages * 1_024)))
            do {
                saves = try store.save(length: 1_000)
            } catch let error as BackstitchError where error.code == .storeFailure {
                failures += 1
            }
            try setLimit(nil)
            guard try store.count() == saves else {
                throw BackstitchError(.internalInconsistency, "\(try store.count()) groups are stored, not \(saves)")
            }
        }
        saves = try store.save(length: 1_000)
        say("\(failures) \(saves)")
    }

    private static func hold(_ file: URL) throws {
        let store = try ProbeStore(file)
        try store.hold {
            say("held")
            pause()
        }
    }

    /// Saves now and then. Prints the beginning and the end of each save, in nanoseconds of the clock that processes
    /// share.
    private static func tick(_ file: URL, times: Int) throws {
        let store = try ProbeStore(file)
        for _ in 0..<times {
            usleep(70_000)
            let begin = now()
            _ = try store.save(length: 10)
            say("\(begin) \(now())")
        }
    }

    /// Opens the file as a program does. For each of `saves` notifications of another process it prints the number of
    /// groups by then, and the time.
    private static func listen(_ file: URL, saves: Int) async throws {
        let container = try PersistentContainer(
            model: ProbeStore.model, store: PersistentStoreDescription(type: .sqlite, url: file))
        let changes = container.coordinator.remoteChanges
        say("listening")
        var groups = 0
        for await change in changes {
            let time = now()
            groups += change.inserted.count { $0.entityName == "Group" }
            say("\(groups) \(time)")
            if groups >= saves { break }
        }
        try container.close()
    }

    /// Opens the file `times` times, closes each store and keeps it. Prints the number of watchers with the first one
    /// open, and the number left five seconds later, or as soon as there is none.
    private static func close(_ file: URL, times: Int) throws {
        let first = try ProbeStore(file), opened = try watchers()
        let stores = try [first] + (1..<times).map { _ in try ProbeStore(file) }
        for store in stores { try store.close() }
        for _ in 0..<500 where try watchers() > 0 { usleep(10_000) }
        say("\(opened) \(try watchers())")
        withExtendedLifetime(stores) {}
    }

    private static func watchers() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return target == "anon_inode:inotify"
        }
    }

    private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

    private static func setLimit(_ bytes: UInt64?) throws {
        var limit = rlimit()
        #if canImport(Darwin) || canImport(Musl)
        let resource = RLIMIT_FSIZE
        #else
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #endif
        guard getrlimit(resource, &limit) == 0 else { throw BackstitchError(.storeFailure, "getrlimit failed") }
        limit.rlim_cur = bytes.map { rlim_t($0) } ?? limit.rlim_max
        guard setrlimit(resource, &limit) == 0 else { throw BackstitchError(.storeFailure, "setrlimit failed") }
    }

    private static func say(_ text: String) {
        // Written at once: buffered lines would be lost with the process.
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
