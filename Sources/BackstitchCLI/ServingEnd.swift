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

/// Decides when `serve` ends: at a signal, at the end of its input if requested, or after the server has ended by
/// itself.
struct ServingEnd {
    private let ends: AsyncStream<String>
    private let end: AsyncStream<String>.Continuation
    private let hasBegun = Locked(false)

    /// Receives signals from now on. A signal during the start ends the process at once. The server has acknowledged
    /// nothing then, and may be waiting for a store of assets that does not answer. Later the first signal requests the
    /// end, and a second one ends the process at once. This is safe, because everything that the server has
    /// acknowledged is on the disk.
    init() async {
        (ends, end) = AsyncStream.makeStream()
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        Task { [end, hasBegun] in
            var isStopping = false
            for await signal in signals {
                // The exit code that shells use for a process ended by a signal.
                if isStopping || !hasBegun.withLock({ $0 }) { _exit(128 + signal.rawValue) }
                isStopping = true
                end.yield(signal == .sigterm ? "SIGTERM" : "SIGINT")
            }
        }
    }

    /// Notes that the server accepts requests.
    func begin() { hasBegun.withLock { $0 = true } }

    /// Waits for the end, and returns its cause in words.
    func wait(for server: ZoneServer, untilInputEnds: Bool) async -> String {
        Task { [end] in
            await server.waitUntilEnded()
            end.yield("the server itself")
        }
        if untilInputEnds {
            // Reading blocks, so it has a thread of its own.
            Thread.detachNewThread { [end] in
                while !FileHandle.standardInput.availableData.isEmpty {}
                end.yield("the end of its input")
            }
        }
        for await cause in ends { return cause }
        return "cancellation"
    }
}
