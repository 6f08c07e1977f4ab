import Backstitch
import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("requests over HTTP, by each library", .timeLimit(.minutes(2)))
struct HTTPTransportTests {
    /// Makes a server that answers so, and a transport over a library; `body` gets the transport and the server's URL.
    private func serve(
        _ library: HTTPLibrary, _ handler: @escaping LoopbackHTTP.Handler,
        _ body: (HTTPTransport, URL) async throws -> Void
    ) async throws {
        let server = try LoopbackHTTP(handler)
        defer { server.stop() }
        try await HTTPTransport.$library.withValue(library) { try await body(HTTPTransport(), server.url) }
    }

    private func request(
        _ url: URL, _ method: String = "GET", headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        timeout: Int64 = 30_000, maximum: Int = 1 << 20, onReceive: (@Sendable (Int) -> Void)? = nil
    ) -> TransportRequest {
        TransportRequest(
            method: method, url: url.absoluteString + "/a/b?tok=a%2Fb", headers: headers, body: body, timeout: timeout,
            maximumResponse: maximum, onReceive: onReceive)
    }

    @Test("what is sent and what is answered arrive as they are", arguments: HTTPLibrary.allCases)
    func whole(_ library: HTTPLibrary) async throws {
        let seen = Locked<[LoopbackHTTP.Request]>([])
        try await serve(library) { request in
            seen.withLock { $0.append(request) }
            return .answer(status: 207, headers: [("X-One", "1"), ("x-two", "2")], body: Array("answer".utf8))
        } _: { transport, url in
            let header = [(name: "Authorization", value: "Bearer a/b+c=")]
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            for (method, body) in [("GET", []), ("POST", []), ("POST", bytes), ("PUT", bytes)] as [(String, [UInt8])] {
                let answer = try await transport.send(request(url, method, headers: header, body: body))
                #expect(answer.status == 207 && answer.body == Array("answer".utf8))
                #expect(answer.header("x-ONE") == "1" && answer.header("X-Two") == "2")
                let request = try #require(seen.withLock { $0.last })
                #expect(request.method == method && request.path == "/a/b?tok=a%2Fb" && request.body == body)
                #expect(request.headers["authorization"] == "Bearer a/b+c=" && request.headers["cookie"] == nil)
                if method == "POST" { #expect(request.headers["content-length"] == "\(body.count)") }
            }
        }
    }

    @Test("redirects, refusals and cookies are answers like others", arguments: HTTPLibrary.allCases)
    func plainAnswers(_ library: HTTPLibrary) async throws {
        let seen = Locked<[LoopbackHTTP.Request]>([])
        try await serve(library) { request in
            let number = seen.withLock { seen in
                seen.append(request)
                return seen.count
            }
            let refusal = Array("refused".utf8)
            return switch number {
            case 1: .answer(status: 302, headers: [("Location", "/elsewhere"), ("Set-Cookie", "a=b")])
            case 2: .answer(status: 307, headers: [("Location", "http://127.0.0.1:9/")])
            case 3: .answer(status: 401, headers: [("WWW-Authenticate", "Bearer")], body: refusal)
            case 4: .answer(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")], body: refusal)
            default: .answer(status: 500, body: refusal)
            }
        } _: { transport, url in
            for status in [302, 307, 401, 401, 500] {
                let answer = try await transport.send(request(url, "POST", body: [1, 2, 3]))
                #expect(answer.status == status)
                if status >= 400 { #expect(answer.body == Array("refused".utf8)) }
            }
            // Nothing was asked for a second time.
            #expect(seen.withLock { $0.count } == 5)
            #expect(seen.withLock { $0.allSatisfy { $0.path.hasPrefix("/a/b") && $0.headers["cookie"] == nil } })
        }
    }

    @Test(
        "an answer that is too large ends while it arrives, and how much has come is told",
        arguments: HTTPLibrary.allCases)
    func sizes(_ library: HTTPLibrary) async throws {
        try await serve(library) { _ in
            .answer(status: 200, body: [UInt8](repeating: 7, count: 2_000_000))
        } _: { transport, url in
            let told = Locked<[Int]>([])
            let progress: @Sendable (Int) -> Void = { count in told.withLock { $0.append(count) } }
            let answer = try await transport.send(request(url, maximum: 2_000_000, onReceive: progress))
            #expect(answer.body.count == 2_000_000)
            #expect(told.withLock { $0.last } == 2_000_000 && told.withLock { $0 == $0.sorted() })
            told.withLock { $0 = [] }
            let error = await #expect(throws: TransportError.self) {
                _ = try await transport.send(request(url, maximum: 1_000_000, onReceive: progress))
            }
            #expect(error?.kind == .tooLarge)
            #expect(told.withLock { $0.allSatisfy { $0 <= 1_000_000 } })
        }
    }

    @Test("a silent server is waited for as long as is said, or until nobody waits", arguments: HTTPLibrary.allCases)
    func silence(_ library: HTTPLibrary) async throws {
        let isOver = DispatchSemaphore(value: 0)
        defer { for _ in 0..<9 { isOver.signal() } }
        try await serve(library) { _ in
            isOver.wait()
            return .hangUp
        } _: { transport, url in
            let late = await #expect(throws: TransportError.self) {
                _ = try await transport.send(request(url, timeout: 200))
            }
            #expect(late?.kind == .timeout)
            let asked = Task { try await transport.send(request(url, timeout: 100_000)) }
            try await Task.sleep(for: .milliseconds(100))
            asked.cancel()
            await #expect(throws: CancellationError.self) { _ = try await asked.value }
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await transport.send(request(url, timeout: 100_000))
            }
            await #expect(throws: CancellationError.self) { _ = try await early.value }
        }
    }

    @Test("what goes wrong with a connection is told, and no secret of the address", arguments: HTTPLibrary.allCases)
    func problems(_ library: HTTPLibrary) async throws {
        let cut = Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc".utf8)
        let replies: [(LoopbackHTTP.Reply, String)] = [
            (.raw(cut), "the connection broke"), (.raw(Array("SSH-2.0-OpenSSH_9.6\r\n".utf8)), "does not speak HTTP"),
        ]
        for (reply, words) in replies {
            try await serve(library) { _ in
                reply
            } _: { transport, url in
                let error = await #expect(throws: TransportError.self) { _ = try await transport.send(request(url)) }
                #expect(error?.kind == .unreachable)
                #expect(error?.message.contains(words) == true, "\(String(describing: error))")
            }
        }
        let plain = try Listener(at: .port(0))
        defer { plain.stop() }
        plain.forEachConnection { client in
            _ = client.receive()
            client.send(Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))
            client.hangUp()
        }
        let port = try #require(try plain.url.port)
        let addresses = [
            ("https://127.0.0.1:\(port)/canary?tok=canary", "does not speak TLS"),
            ("http://127.0.0.1:9/canary?tok=canary", "could not be reached"), ("file:///canary", ""), ("canary", ""),
        ]
        for (address, words) in addresses {
            let error = await HTTPTransport.$library.withValue(library) {
                await #expect(throws: TransportError.self) {
                    let request = TransportRequest(method: "GET", url: address, timeout: 30_000, maximumResponse: 100)
                    _ = try await HTTPTransport().send(request)
                }
            }
            var dumped = ""
            dump(error, to: &dumped)
            #expect(error?.kind == .unreachable)
            #expect((words.isEmpty || dumped.contains(words)) && !dumped.contains("canary"), "\(dumped)")
        }
    }

    @Test("many requests wait at once", arguments: HTTPLibrary.allCases)
    func manyAtOnce(_ library: HTTPLibrary) async throws {
        let waiting = Locked(0)
        try await serve(library) { _ in
            waiting.withLock { $0 += 1 }
            // Each waits for all.
            for _ in 0..<2_000 where waiting.withLock({ $0 }) < 64 { Thread.sleep(forTimeInterval: 0.01) }
            return .answer(status: waiting.withLock { $0 } == 64 ? 200 : 500)
        } _: { transport, url in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 { group.addTask { try await transport.send(request(url)).status } }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(statuses == [200])
        }
    }

    #if !canImport(Darwin)
    @Test("URLSession takes no authorities of one's own here, and says which trait does")
    func authorities() throws {
        HTTPTransport.$library.withValue(.urlSession) {
            let error = #expect(throws: BackstitchError.self) { _ = try HTTPTransport(trustRoots: "/etc/hosts") }
            #expect(error?.code == .invalidOption && error?.key == "syncTrustRoots")
            #expect(error?.message.contains("traits: [\"AsyncHTTPClient\"]") == true)
        }
    }
    #endif
}
