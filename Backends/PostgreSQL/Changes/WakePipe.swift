import Backstitch

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Wakes a thread that waits for a connection. It is a pipe, because `poll` waits only for descriptors.
final class WakePipe: Sendable {
    private let reading: Int32
    private let writing: Int32

    /// Makes the pipe. Both of its ends never block.
    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw BackstitchError(.storeFailure, "the system has no descriptors left; raise the limit of open files")
        }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Ends the wait, or the next one. A full pipe wakes the thread too.
    func ring() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    /// Waits until the bell rings, data arrives on the link, or the time is over.
    func wait(_ link: PostgreSQLLink?, seconds: Double) {
        var entries = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
        if let link { entries.append(pollfd(fd: link.socket, events: Int16(POLLIN), revents: 0)) }
        _ = poll(&entries, nfds_t(entries.count), Int32(clamping: Int64(seconds * 1000)))
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(reading, &bytes, bytes.count) > 0 {}
    }
}
