import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One end of a connection on this machine.
///
/// Its descriptor is closed with its last owner, and a waiting thread is an owner. So no call uses a number that the
/// system has meanwhile given to another file, such as the listening socket of another test's server.
package final class Socket: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to a place; nil if no server listens there.
    ///
    /// - Parameter machine: The last byte of the caller's own address, 127.0.0.1 to 127.0.0.254. Linux has all of them.
    package convenience init?(to place: SocketPlace, fromMachine machine: UInt8? = nil) {
        self.init(place.newSocket())
        if let machine {
            let own = SocketPlace.address(machine: machine, port: 0)
            guard own.withAddress({ bind(descriptor, $0, $1) }) == 0 else { return nil }
        }
        guard place.withAddress({ connect(descriptor, $0, $1) }) == 0 else { return nil }
    }

    /// Sends all of it; tells whether the other side took it.
    @discardableResult
    package func send(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits for bytes, and returns those that have arrived; nil at the end.
    package func receive(atMost limit: Int = 65_536) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = read(descriptor, &buffer, limit)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Waits until there is something to receive, be it the end; false when nothing has come within the time.
    package func hasSomething(within seconds: Int) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32(seconds * 1_000)) > 0
    }

    /// Tells the other side that nothing more comes from here.
    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection for both sides.
    package func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
