import Backstitch
import BackstitchSupport
import Foundation
import TestSupport

/// A minimal server of HTTP/1.1 on a port of this machine. The test decides each byte of its answers.
final class LoopbackHTTP: Sendable {
    struct Request: Sendable {
        var method: String
        /// With the query.
        var path: String
        var headers: [String: String]
        var body: [UInt8]
    }

    enum Reply: Sendable {
        /// Sends an answer; the connection stays.
        case answer(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [])
        /// Sends these bytes and nothing else, and ends the connection.
        case raw([UInt8])
        /// Ends the connection.
        case hangUp
    }

    typealias Handler = @Sendable (Request) -> Reply

    let url: URL
    private let listener: Listener
    private let handler: Handler
    private let open = Locked<[ObjectIdentifier: Socket]>([:])
    private let isStopped = Locked(false)

    init(_ handler: @escaping Handler) throws {
        self.handler = handler
        listener = try Listener(at: .port(0))
        url = try listener.url
        listener.forEachConnection { [self] client in
            open.withLock { $0[ObjectIdentifier(client)] = client }
            Thread { [self] in
                serve(client)
                open.withLock { $0[ObjectIdentifier(client)] = nil }
            }.start()
        }
    }

    var hasStopped: Bool { isStopped.withLock { $0 } }

    /// Ends all connections.
    func stop() {
        isStopped.withLock { $0 = true }
        listener.stop()
        for client in open.withLock({ Array($0.values) }) { client.hangUp() }
    }

    private func serve(_ client: Socket) {
        var buffer: [UInt8] = []
        while let request = read(from: client, &buffer) {
            switch handler(request) {
            case .answer(let status, let headers, let body):
                var head = "HTTP/1.1 \(status) Answer\r\nContent-Length: \(body.count)\r\n"
                for header in headers { head += "\(header.name): \(header.value)\r\n" }
                guard client.send(Array((head + "\r\n").utf8) + body) else { return }
            case .raw(let bytes):
                client.send(bytes)
                return
            case .hangUp: return
            }
        }
    }

    private func read(from client: Socket, _ buffer: inout [UInt8]) -> Request? {
        let end = Array("\r\n\r\n".utf8)
        var searched = 0
        while true {
            if let place = (searched..<max(searched, buffer.count - 3)).first(where: {
                buffer[$0..<$0 + 4].elementsEqual(end)
            }) {
                guard var request = Self.head(buffer[..<place]) else { return nil }
                let length = request.headers["content-length"].flatMap { Int($0) } ?? 0
                while buffer.count < place + 4 + length {
                    guard let more = client.receive() else { return nil }
                    buffer += more
                }
                request.body = Array(buffer[(place + 4)..<(place + 4 + length)])
                buffer.removeFirst(place + 4 + length)
                return request
            }
            searched = max(0, buffer.count - 3)
            guard let more = client.receive() else { return nil }
            buffer += more
        }
    }

    private static func head(_ bytes: ArraySlice<UInt8>) -> Request? {
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let sides = line.split(separator: ":", maxSplits: 1)
            if sides.count == 2 {
                headers[sides[0].lowercased()] = sides[1].trimmingCharacters(in: .whitespaces)
            }
        }
        return Request(method: String(words[0]), path: String(words[1]), headers: headers, body: [])
    }
}
