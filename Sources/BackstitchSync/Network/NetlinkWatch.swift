#if os(Linux)
import BackstitchSupport
import Dispatch
import Logging

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Watches the network by rtnetlink. A socket receives messages about changes of links, addresses or routes, and the
/// tables are then read again. The content of a message is ignored, so a dropped message does no harm.
///
/// All of it runs on its own queue; the kernel answers its requests at once.
final class NetlinkWatch: NetworkWatch {
    private struct State: Sendable {
        var isEnded = false
        /// Whether a read of the tables is already planned.
        var isDue = false
    }

    /// The delay between the first message and the read of the tables, because changes come in groups.
    private static let pause = DispatchTimeInterval.milliseconds(100)
    /// The most bytes that the kernel sends at once: 32 KiB (NLMSG_GOODSIZE and netlink_dump).
    private static let buffer = 32 << 10
    /// The most parts of a table that are read. A machine with more routes, none of them over a usable link, counts as
    /// offline.
    private static let mostParts = 10_000

    /// Whether the reason for a missing watch was logged. Once is enough for a process.
    private static let hasTold = Locked(false)

    private let queue = DispatchQueue(label: "backstitch.network")
    private let tell: @Sendable (NetworkPath) -> Void
    private let state = Locked(State())
    /// Stops the watch and closes the socket; nil before there is one and after its end.
    private let cancel = Locked<(@Sendable () -> Void)?>(nil)

    init(_ tell: @escaping @Sendable (NetworkPath) -> Void) {
        self.tell = tell
        queue.async { self.begin() }
    }

    deinit { end() }

    func end() {
        state.withLock { $0.isEnded = true }
        let cancel = cancel.withLock { cancel in
            defer { cancel = nil }
            return cancel
        }
        cancel?()
    }

    private func begin() {
        do {
            let socket = try NetlinkSocket(hearing: NetlinkSocket.changes)
            // Any thread may use a Dispatch source, though its module for Linux does not say so.
            nonisolated(unsafe) let source = DispatchSource.makeReadSource(
                fileDescriptor: socket.descriptor, queue: queue)
            source.setEventHandler { [weak self] in self?.hear(socket) }
            source.setCancelHandler { socket.close() }
            cancel.withLock { $0 = { source.cancel() } }
            source.activate()
            // The end may have come before there was anything to cancel.
            if state.withLock({ $0.isEnded }) { return end() }
            read()
        } catch { giveUp(error) }
    }

    /// Empties the socket, and plans a read of the tables.
    private func hear(_ socket: NetlinkSocket) {
        do {
            try withUnsafeTemporaryAllocation(byteCount: Self.buffer, alignment: 4) { buffer in
                // Further messages cause another event, after the planned read of the tables.
                for _ in 0..<1_000 where try socket.receive(into: buffer) == nil { break }
            }
        } catch let error as SystemError where error.number == ENOBUFS {
            // The kernel had more messages than the buffer could hold; the tables have all changes.
        } catch { return giveUp(error) }
        let isFirst = state.withLock { state in
            defer { state.isDue = true }
            return !state.isDue
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.read() } }
    }

    private func read() {
        let isEnded = state.withLock { state in
            state.isDue = false
            return state.isEnded
        }
        if isEnded { return }
        do { tell(NetworkPath(try Self.hasRoute() ? .available : .unavailable)) } catch { giveUp(error) }
    }

    /// Reports an unknown status, logs the reason once in the process, and ends the watch.
    private func giveUp(_ error: any Error) {
        guard !state.withLock({ $0.isEnded }) else { return }
        let isNews = Self.hasTold.withLock { hasTold in
            defer { hasTold = true }
            return !hasTold
        }
        if isNews {
            Logger(label: "backstitch.sync").notice(
                "the system does not say whether there is a network, so sync tries without asking",
                metadata: ["error": "\(error)"])
        }
        tell(NetworkPath(.unknown))
        end()
    }

    /// Reads the tables of the machine: links, and routes up to the first one to elsewhere. If they change meanwhile,
    /// it reads again, a few times. Then the last result counts, because a message about the change will follow.
    static func hasRoute() throws -> Bool {
        var tables = NetlinkTables()
        for _ in 0..<3 {
            tables = NetlinkTables()
            do {
                try ask(.links, &tables)
                try ask(.routes, &tables)
                break
            } catch NetlinkTables.Fault.interrupted { continue }
        }
        return tables.hasRoute
    }

    /// Uses a separate socket, so that an unread rest of the answer ends with it.
    private static func ask(_ dump: NetlinkDump, _ tables: inout NetlinkTables) throws {
        let socket = try NetlinkSocket()
        defer { socket.close() }
        let sequence: UInt32 = 1
        try socket.send(dump.question(sequence))
        try withUnsafeTemporaryAllocation(byteCount: buffer, alignment: 4) { buffer in
            for _ in 0..<mostParts {
                guard let part = try socket.receive(into: buffer) else { throw NetlinkTables.Fault.malformed }
                if try tables.take(part, sequence: sequence) || tables.hasRoute { return }
            }
        }
    }
}
#endif
