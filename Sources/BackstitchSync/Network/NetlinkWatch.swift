#if os(Linux)
import BackstitchSupport
import Dispatch
import Logging

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Watches by rtnetlink: a socket hears that links, addresses or routes have changed, and the tables are then read
/// again. What a message says does not count, so that it does no harm when the kernel drops some.
///
/// All of it runs on a queue of its own; the kernel answers its questions at once.
final class NetlinkWatch: NetworkWatch {
    private struct State: Sendable {
        var isEnded = false
        /// Whether the tables are to be read already.
        var isDue = false
    }

    /// Changes come in flocks: one that is heard of is looked at after so long, with those that follow it.
    private static let pause = DispatchTimeInterval.milliseconds(100)
    /// Bytes that the kernel gives at once: it fills no more than 32 KiB (NLMSG_GOODSIZE and netlink_dump).
    private static let buffer = 32 << 10
    /// Parts of a table that are read at most; a machine that has more routes over no link has no network.
    private static let mostParts = 10_000

    /// Whether the log has been told why there is nothing to hear: once is enough for a process.
    private static let hasTold = Locked(false)

    private let queue = DispatchQueue(label: "backstitch.network")
    private let tell: @Sendable (NetworkPath) -> Void
    private let state = Locked(State())
    /// Stops hearing, and closes the socket; nil before there is one and after its end.
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
            // Any thread may use a source of Dispatch, though its module for Linux does not say so.
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

    /// Empties the socket, and has the tables read.
    private func hear(_ socket: NetlinkSocket) {
        do {
            try withUnsafeTemporaryAllocation(byteCount: Self.buffer, alignment: 4) { buffer in
                // Messages that are left after so many are heard of again, behind a look at the tables that is due.
                for _ in 0..<1_000 where try socket.receive(into: buffer) == nil { break }
            }
        } catch let error as SystemError where error.number == ENOBUFS {
            // The kernel had more to say than there was room for; the tables have all of it.
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

    /// Says that nobody knows, and hears no more.
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

    /// Reads the tables of the machine: links, and routes up to the first that leads elsewhere. Again when they change
    /// meanwhile, a few times; then what was found counts, since a message about the change is on its way.
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

    /// On a socket of its own, so that an answer whose rest is of no use ends with it.
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
