import BackstitchServer
import BackstitchSupport
import Foundation
import UnixSignals

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// When `serve` ends: at a signal, with its input where it is to, or because the server has ended by itself.
struct ServingEnd {
    private let ends: AsyncStream<String>
    private let end: AsyncStream<String>.Continuation
    private let hasBegun = Locked(false)

    /// Takes signals from now on. One that comes while the server starts ends the process where it stands: it may wait
    /// for a store of assets that does not answer, and has acknowledged nothing. Later the first one asks for the end,
    /// and a further one is as the former: what the server has acknowledged is on the disk.
    init() async {
        (ends, end) = AsyncStream.makeStream()
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        Task { [end, hasBegun] in
            var isStopping = false
            for await signal in signals {
                // As shells tell that a signal has ended a process.
                if isStopping || !hasBegun.withLock({ $0 }) { _exit(128 + signal.rawValue) }
                isStopping = true
                end.yield(signal == .sigterm ? "SIGTERM" : "SIGINT")
            }
        }
    }

    /// Notes that the server takes requests.
    func begin() { hasBegun.withLock { $0 = true } }

    /// Waits for the end, and gives its cause in words.
    func wait(for server: ZoneServer, untilInputEnds: Bool) async -> String {
        Task { [end] in
            await server.waitUntilEnded()
            end.yield("the server itself")
        }
        if untilInputEnds {
            // On a thread of its own: reading blocks.
            Thread.detachNewThread { [end] in
                while !FileHandle.standardInput.availableData.isEmpty {}
                end.yield("the end of its input")
            }
        }
        for await cause in ends { return cause }
        return "cancellation"
    }
}
