import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// Sends requests to a server with a frozen clock and fixed random numbers, and compares each with its file.
final class GoldenRun {
    /// Callers as the files name them.
    enum Caller: String {
        case alice, reader, bob, nobody, stranger
        case withoutToken = "without an API token"
    }

    /// The server's address as answers have it.
    static let publicURL = "https://zones.example.org"
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Golden")

    /// The server that is asked.
    var client: TestClient
    /// Waits until devices were told of all commits: they are told beside the requests, with random numbers too.
    private let settle: () async -> Void
    let clock: VirtualClock
    private let random: GoldenRandom
    private let writes: Bool
    private(set) var names: Set<String> = []
    private(set) var statuses: [ServerRoute: Set<Int>] = [:]
    /// The codes of whole answers, and those of items.
    private(set) var codes: (whole: Set<String>, items: Set<String>) = ([], [])

    init(
        _ client: TestClient, _ clock: VirtualClock, _ random: GoldenRandom, writes: Bool,
        settle: @escaping () async -> Void
    ) {
        self.client = client
        self.settle = settle
        self.clock = clock
        self.random = random
        self.writes = writes
    }

    /// An operation of the wire.
    @discardableResult
    func wire(
        _ endpoint: WireEndpoint, _ name: String, _ body: String = "{}", by caller: Caller = .alice,
        in database: String = "private", container: String = "iCloud.golden", environment: String = "development",
        extended: Bool = false
    ) async throws -> GoldenAnswer {
        let path = endpoint.path(container: container, environment: environment, database: database)
        var headers: HTTPHeaders = [:]
        if extended { headers.add(name: WireHeader.extensions, value: "1") }
        return try await exchange(
            "\(endpoint.rawValue)/\(name)", .wire(endpoint), method: .POST, path, headers, Array(body.utf8), caller)
    }

    /// A request to an address that the server has given out, or to one that reports its state.
    ///
    /// - Parameter changing: Text of the body that differs each time. The file has `CHANGING` in its place.
    @discardableResult
    func address(
        _ address: ServerRoute.Address, _ name: String, _ path: String, method: HTTPMethod = .GET, _ body: String = "",
        headers: HTTPHeaders = [:], changing: String? = nil
    ) async throws -> GoldenAnswer {
        try await exchange(
            "\(address.rawValue)/\(name)", .address(address), method: method,
            path.replacingOccurrences(of: Self.publicURL, with: ""), headers, Array(body.utf8), nil, changing: changing)
    }

    /// A request to an unknown path.
    func unknown(_ name: String, _ path: String) async throws {
        try await exchange("paths/\(name)", nil, method: .POST, path, [:], Array("{}".utf8), .alice)
    }

    @discardableResult
    private func exchange(
        _ name: String, _ route: ServerRoute?, method: HTTPMethod, _ path: String, _ headers: HTTPHeaders,
        _ body: [UInt8], _ caller: Caller?, changing: String? = nil
    ) async throws -> GoldenAnswer {
        guard names.insert(name).inserted else { throw TestFailure("two exchanges '\(name)'") }
        var text = "\(method.rawValue) \(path)\n"
        for (key, value) in headers { text += "\(key): \(value)\n" }
        var sent = headers
        var credentials = ""
        if let caller {
            text += "caller: \(caller.rawValue)\n"
            if caller != .withoutToken { credentials = "?ckAPIToken=\(strong("api"))" }
            if ![.nobody, .withoutToken].contains(caller) {
                sent.add(name: "Authorization", value: "Bearer \(strong(caller.rawValue))")
            }
        }
        random.begin(name)
        // On a separate connection: the client may just be closing one that was idle for long, beside other tests.
        sent.replaceOrAdd(name: "Connection", value: "close")
        let answer = try await client.send(
            client.base + path + credentials, method: method, headers: sent, body: body)
        await settle()
        text += "\n\(String(decoding: body, as: UTF8.self))\n\n\(answer.status)\n"
        let passing = ["date", "connection", "content-length", "server"]
        for (key, value) in answer.headers.map({ ($0.name.lowercased(), $0.value) }).sorted(by: { $0 < $1 })
        where !passing.contains(key) { text += "\(key): \(value)\n" }
        text += "\n\(answer.text)\n"
        if let route { statuses[route, default: []].insert(answer.status) }
        note(answer)
        if let changing { text = text.replacingOccurrences(of: changing, with: "CHANGING") }
        try compare(text, name)
        return GoldenAnswer(answer.body)
    }

    private func note(_ answer: TestAnswer) {
        for part in answer.text.components(separatedBy: #""serverErrorCode":""#).dropFirst() {
            let code = String(part.prefix { $0 != "\"" })
            if answer.status == 200 { codes.items.insert(code) } else { codes.whole.insert(code) }
        }
    }

    private func compare(_ text: String, _ name: String) throws {
        let file = Self.folder.appending(path: Self.path(of: name))
        if writes {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        } else if let kept = try? String(decoding: Data(contentsOf: file), as: UTF8.self) {
            #expect(text == kept, "\(name) differs from \(file.path); UPDATE_GOLDEN=1 writes it anew")
        } else {
            Issue.record("\(name) has no file \(file.path); UPDATE_GOLDEN=1 writes it")
        }
    }

    /// A file beside others of its endpoint.
    static func path(of name: String) -> String {
        let parts = name.split(separator: "/")
        return parts.dropLast().joined(separator: "-").replacingOccurrences(of: " ", with: "-") + "/"
            + (parts.last ?? "").replacingOccurrences(of: " ", with: "-") + ".http"
    }

    /// The files that are there.
    static func files() throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".http") })
    }
}
