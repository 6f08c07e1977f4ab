import Backstitch

#if canImport(Darwin)
import Darwin

/// Waits until any process writes to a file.
final class FileWatch: Sendable {
    private let queue: Int32
    private let file: Int32

    /// Starts to watch a file.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the system cannot watch the file.
    init(_ path: String) throws {
        queue = kqueue()
        file = open(path, O_EVTONLY)
        var events = [
            kevent(
                ident: UInt(max(file, 0)), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR),
                fflags: UInt32(NOTE_WRITE | NOTE_EXTEND), data: 0, udata: nil),
            kevent(
                ident: 0, filter: Int16(EVFILT_USER), flags: UInt16(EV_ADD | EV_CLEAR), fflags: 0, data: 0, udata: nil),
        ]
        guard queue >= 0, file >= 0, kevent(queue, &events, 2, nil, 0, nil) == 0 else {
            let reason = String(cString: strerror(errno))
            if queue >= 0 { close(queue) }
            if file >= 0 { close(file) }
            throw BackstitchError(.storeFailure, "\(path) cannot be watched: \(reason)")
        }
    }

    deinit {
        close(queue)
        close(file)
    }

    /// Ends the wait, or the next one.
    func wake() {
        var event = kevent(
            ident: 0, filter: Int16(EVFILT_USER), flags: 0, fflags: UInt32(NOTE_TRIGGER), data: 0, udata: nil)
        _ = kevent(queue, &event, 1, nil, 0, nil)
    }

    /// Waits until the file is written to, for at most `seconds`.
    func wait(seconds: Int) {
        var event = kevent()
        var limit = timespec(tv_sec: seconds, tv_nsec: 0)
        _ = kevent(queue, nil, 0, &event, 1, &limit)
    }
}
#else
#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Waits until any process writes to a file.
final class FileWatch: Sendable {
    private let events: Int32
    private let bell: (reading: Int32, writing: Int32)

    /// Starts to watch a file.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the system cannot watch the file.
    init(_ path: String) throws {
        var ends: [Int32] = [-1, -1]
        events = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard events >= 0, inotify_add_watch(events, path, UInt32(IN_MODIFY)) >= 0, pipe(&ends) == 0 else {
            let reason = String(cString: strerror(errno))
            if events >= 0 { close(events) }
            throw BackstitchError(.storeFailure, "\(path) cannot be watched: \(reason)")
        }
        bell = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        for descriptor in [events, bell.reading, bell.writing] { close(descriptor) }
    }

    /// Ends the wait, or the next one. A full pipe wakes the waiting thread too.
    func wake() {
        var byte: UInt8 = 1
        _ = write(bell.writing, &byte, 1)
    }

    /// Waits until the file is written to, for at most `seconds`.
    func wait(seconds: Int) {
        var entries = [
            pollfd(fd: events, events: Int16(POLLIN), revents: 0),
            pollfd(fd: bell.reading, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&entries, nfds_t(entries.count), Int32(seconds * 1000))
        // The content of the events does not matter; a write has happened.
        var bytes = [UInt8](repeating: 0, count: 4096)
        for descriptor in [events, bell.reading] {
            while read(descriptor, &bytes, bytes.count) > 0 {}
        }
    }
}
#endif
