import BackstitchSync
import Foundation

/// Reports the network of its process from `watch` to `rest`, a line a path, as ``NetworkMonitor/shared`` does.
///
/// `sh COMMAND` runs a command in the same network. After `fill` the process can open nothing more.
enum NetworkProbe {
    static func run(_ lines: AsyncStream<String>) async throws {
        var watches: [Task<Void, Never>] = []
        SyncProbe.say("ready")
        for await line in lines {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "watch":
                watches.append(
                    Task { for await path in NetworkMonitor.shared.paths { SyncProbe.say("path \(path.status)") } })
            case "rest":
                for watch in watches {
                    watch.cancel()
                    await watch.value
                }
                watches = []
                SyncProbe.say("rested")
            case "sh": SyncProbe.say(shell(words.dropFirst().joined(separator: " ")))
            case "fill":
                while open("/dev/null", O_RDONLY) >= 0 {}
                SyncProbe.say("filled")
            default: SyncProbe.say("unknown")
            }
        }
    }

    /// Runs a command, and tells how it ended. Foundation's `Process` waits for ends by the loopback, which a new
    /// network does not have.
    static func shell(_ command: String) -> String { "done \(system("(\(command)) </dev/null >&2"))" }
}
