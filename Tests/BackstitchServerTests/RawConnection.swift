import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport

@testable import BackstitchServer

/// A TCP connection with full control over each byte.
final class RawConnection: Sendable {
    private let socket: Locked<Socket?>

    /// - Parameter machine: The last byte of the caller's own address; nil for that of the server.
    init(_ base: String, fromMachine machine: UInt8? = nil) throws {
        guard let port = URL(string: base)?.port else { throw TestFailure("no port in \(base)") }
        guard let socket = Socket(to: .port(port), fromMachine: machine) else {
            throw SystemError.last("connect", base)
        }
        self.socket = Locked(socket)
    }

    /// Opens a connection without blocking the caller's thread. If the server's list of new connections is full, the
    /// system tries again after a second.
    static func opened(_ base: String, fromMachine machine: UInt8? = nil) async throws -> RawConnection {
        try await BlockingWork.run { try RawConnection(base, fromMachine: machine) }
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

    /// Everything up to a text. Nothing may follow it.
    ///
    /// - Throws: when the text has not arrived after `seconds`, or the server closes the connection.
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
    /// - Parameter pause: Seconds after each 64 KB, for a client that is slow.
    /// - Throws: when nothing has come for `seconds`, and it is still open.
    func readToEnd(within seconds: Int, pause: TimeInterval = 0) async throws -> String {
        let socket = try open()
        return try await BlockingWork.run {
            var result: [UInt8] = []
            while true {
                guard socket.hasSomething(within: seconds) else {
                    throw TestFailure("the connection is still open after \(seconds) s")
                }
                guard let bytes = socket.receive() else { return String(decoding: result, as: UTF8.self) }
                result += bytes
                if pause > 0 { Thread.sleep(forTimeInterval: pause) }
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

extension TestClient {
    /// Saves records, asks for all of them, and reads no more than the first byte of the answer.
    ///
    /// - Returns: The connection on which the answer comes, and how many bytes its values have.
    func askForLargeAnswer() async throws -> (connection: RawConnection, count: Int) {
        let names = (0..<32).map { "large \($0)" }, size = 1_000_000
        try await makeZone()
        for name in names { try await save(name, ["text": .string(String(repeating: "x", count: size))]) }
        let message = RecordsLookupRequest(zoneID: Self.zone, records: names.map { .init(recordName: $0) })
        let body = String(decoding: try message.wireJSON(), as: UTF8.self)
        let path = WireEndpoint.recordsLookup.path(container: container, environment: environment, database: database)
        let target = path + (query.isEmpty ? "" : "?" + query)
        let connection = try RawConnection(base)
        try await connection.send(
            "POST \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(WireHeader.extensions): 1\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        try await connection.receive()
        return (connection, names.count * size)
    }
}
