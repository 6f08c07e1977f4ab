import Backstitch
import BackstitchSupport
import Foundation
import TestSupport

@testable import BackstitchServer

/// A TCP connection on which a test says exactly what it wants, byte by byte.
final class RawConnection: Sendable {
    private let socket: Locked<Socket?>

    init(_ base: String) throws {
        guard let port = URL(string: base)?.port else { throw TestFailure("no port in \(base)") }
        guard let socket = Socket(to: .port(port)) else { throw SystemError.last("connect", base) }
        self.socket = Locked(socket)
    }

    func send(_ text: String) async throws {
        let socket = try open()
        try await BlockingWork.run {
            guard socket.send(Array(text.utf8)) else { throw SystemError.last("send", "socket") }
        }
    }

    /// Waits until something comes, or the server closes the connection.
    func receive() async throws {
        let socket = try open()
        _ = try await BlockingWork.run { socket.receive(atMost: 1) }
    }

    /// Everything that comes up to a text, which nothing may follow.
    ///
    /// - Throws: when it has not come after `seconds`, or the server closes the connection.
    func read(until end: String, within seconds: Int) async throws -> String {
        let socket = try open()
        return try await BlockingWork.run {
            var result: [UInt8] = []
            while !String(decoding: result, as: UTF8.self).hasSuffix(end) {
                guard socket.hasSomething(within: seconds), let bytes = socket.receive() else {
                    throw TestFailure("\(end) has not come, but \(String(decoding: result, as: UTF8.self))")
                }
                result += bytes
            }
            return String(decoding: result, as: UTF8.self)
        }
    }

    /// Everything that comes until the server closes the connection.
    ///
    /// - Throws: when it is still open after `seconds`.
    func readToEnd(within seconds: Int) async throws -> String {
        let socket = try open()
        return try await BlockingWork.run {
            var result: [UInt8] = []
            while true {
                guard socket.hasSomething(within: seconds) else {
                    throw TestFailure("the connection is still open after \(seconds) s")
                }
                guard let bytes = socket.receive() else { return String(decoding: result, as: UTF8.self) }
                result += bytes
            }
        }
    }

    /// Closes the connection.
    func end() { socket.withLock { $0 = nil } }

    private func open() throws -> Socket {
        guard let socket = socket.withLock({ $0 }) else { throw TestFailure("the connection was ended by the test") }
        return socket
    }
}
