#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Waits for a socket to become ready, so that a silent server is noticed.
enum SocketWait {
    /// The operations that a socket is ready for.
    struct Events: OptionSet {
        let rawValue: Int16

        static let reading = Events(rawValue: Int16(POLLIN))
        static let writing = Events(rawValue: Int16(POLLOUT))
    }

    /// The result of a wait.
    enum Outcome {
        case ready(Events)
        case late
        case failed
    }

    /// Waits until the socket is ready for one of `events`. A broken socket counts as ready for reading.
    static func wait(_ socket: Int32, for events: Events, _ deadline: Deadline) -> Outcome {
        guard socket >= 0 else { return .failed }
        var entry = pollfd(fd: socket, events: events.rawValue, revents: 0)
        while true {
            let count = poll(&entry, 1, deadline.milliseconds)
            if count > 0 {
                let isBroken = entry.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
                return .ready(isBroken ? .reading : Events(rawValue: entry.revents))
            }
            if count < 0 {
                if errno == EINTR { continue }
                return .failed
            }
            // A wait in rounded milliseconds may end a moment early.
            if deadline.isOver { return .late }
        }
    }
}
