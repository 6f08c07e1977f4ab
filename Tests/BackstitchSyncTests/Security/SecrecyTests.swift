import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("secrets on their way")
struct SecrecyTests {
    @Test(
        "of a whole sync, with assets and notifications, no address and no line of a log has a secret",
        arguments: HTTPLibrary.allCases)
    func addressesAndLogs(_ library: HTTPLibrary) async throws {
        try await HTTPTransport.$library.withValue(library) { try await addressesAndLogs() }
    }

    private func addressesAndLogs() async throws {
        let api = "canary-api-0123456789abcdef", web = "canary-web-0123456789abcdef"
        let lines = Locked<[String]>([]), sent = Locked<[UInt8]>([])
        try await SyncWorld.run(configure: {
            $0.apiTokens = [TokenDigest(of: api)]
            $0.users = [.init(userRecordName: "_ann", webAuthToken: web)]
            $0.logger = Logger(label: "test") { _ in LineLog(lines: lines) }
            $0.logger.logLevel = .trace
        }) { world in
            let relay = try HalfwayRelay(to: world.url) { bytes in sent.withLock { $0 += bytes } }
            defer { relay.stop() }
            let options: [StoreOption: any Sendable] = [
                .syncServerURL: relay.url.absoluteString, .syncAPIToken: api, .syncWebAuthToken: web,
            ]
            let phone = try world.device(nil, automatic: true, options)
            let id = try await phone.addNote("note") { note, _ in note.photo = Data(repeating: 7, count: 300_000) }
            try await phone.sync.sync()
            let desk = try world.device(nil, automatic: true, options)
            // A download that took too long on a busy machine is tried again by the next sync.
            let hasPhoto = try await eventually {
                try await desk.sync.sync()
                return try await desk.read { try ($0.existingObject(with: id) as? TestNote)?.photo?.count } == 300_000
            }
            #expect(hasPhoto)
            // A notification has come through the long poll.
            try await phone.change(id) { note, _ in note.title = "changed" }
            #expect(try await eventually { try await desk.titles() == ["changed"] })
        }
        let requests = Self.requestLines(sent.withLock { $0 })
        for route in [
            "records/modify", "changes/zone", "/aps", "/assets/upload", "/assets/bytes", "/assets/download",
            "tokens/create",
        ] {
            #expect(requests.contains { $0.contains(route) }, "\(route) was not asked for: \(requests)")
        }
        #expect(requests.allSatisfy { !$0.contains("?") && !$0.contains("canary") }, "\(requests)")
        let headers = String(decoding: sent.withLock { $0 }, as: UTF8.self)
        let secrets =
            [api, web] + Self.values(of: "tok=", headers) + Self.values(of: "ticket=", headers)
            + Self.values(of: "mark=", headers) + Self.values(of: "X-Backstitch-Device: ", headers)
        #expect(secrets.count >= 6)
        let log = lines.withLock { $0.joined(separator: "\n") }
        #expect(log.contains("records/modify") && log.contains("aps"))
        for secret in secrets {
            #expect(!log.contains(secret), "the log has \(secret)")
            #expect(requests.allSatisfy { !$0.contains(secret) })
        }
    }

    /// The first lines of HTTP requests.
    private static func requestLines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n").compactMap { line in
            guard line.hasSuffix(" HTTP/1.1") else { return nil }
            return line.split(separator: " ").suffix(2).first.map(String.init)
        }
    }

    /// Returns the values behind a name, each up to the next sign that ends it.
    private static func values(of name: String, _ text: String) -> [String] {
        text.components(separatedBy: name).dropFirst().map { String($0.prefix { !"&\r\n \"".contains($0) }) }
            .filter { $0.count > 10 }
    }

    /// Makes certificates of an authority and of `localhost`, signed by it.
    private func certificates(in folder: URL) throws -> (authority: URL, certificate: URL, key: URL) {
        func file(_ name: String) -> String { folder.appending(path: name).path }
        func openssl(_ arguments: [String]) throws {
            let openssl = try TestProcess(
                at: URL(filePath: "/usr/bin/env"), ["openssl"] + arguments, errors: .withOutput
            ).finish()
            #expect(openssl.status == 0, "openssl \(arguments): \(openssl.output)")
        }
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try openssl(
            ["req", "-x509", "-days", "2", "-subj", "/CN=Tests"] + curve
                + ["-keyout", file("ca.key"), "-out", file("ca.crt")])
        try openssl(["req", "-subj", "/CN=localhost"] + curve + ["-keyout", file("key"), "-out", file("csr")])
        try "subjectAltName=DNS:localhost\n".write(toFile: file("names"), atomically: true, encoding: .utf8)
        try openssl([
            "x509", "-req", "-in", file("csr"), "-days", "2", "-CA", file("ca.crt"), "-CAkey", file("ca.key"),
            "-CAcreateserial", "-extfile", file("names"), "-out", file("crt"),
        ])
        return (URL(filePath: file("ca.crt")), URL(filePath: file("crt")), URL(filePath: file("key")))
    }

    @Test(
        "over https, with an authority of one's own; a server that it has not signed, or of another name, is not spoken to"
    )
    func transportSecurity() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: ObjectIDGenerator().next().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try certificates(in: folder)
        try await SyncWorld.run(configure: {
            $0.transportSecurity = .init(certificate: files.certificate, privateKey: files.key)
        }) { world in
            #expect(world.url.scheme == "https")
            let port = try #require(world.url.port)
            func device(_ host: String, _ more: [StoreOption: any Sendable]) throws -> SyncDevice {
                try world.device(nil, more.merging([.syncServerURL: "https://\(host):\(port)"]) { $1 })
            }
            let trusting: [StoreOption: any Sendable] = [.syncTrustRoots: files.authority.path]
            let phone = try device("localhost", trusting)
            let id = try await phone.addNote("note") { note, _ in note.photo = Data(repeating: 7, count: 300_000) }
            try await phone.sync.sync()
            let desk = try device("localhost", trusting)
            // A download that took too long on a busy machine is tried again by the next sync.
            let hasPhoto = try await eventually {
                try await desk.sync.sync()
                return try await desk.read { try ($0.existingObject(with: id) as? TestNote)?.photo?.count } == 300_000
            }
            #expect(hasPhoto)
            for other in [try device("localhost", [:]), try device("127.0.0.1", trusting)] {
                let error = await #expect(throws: BackstitchError.self) { try await other.sync.sync() }
                #expect(error?.code == .network)
            }
            let error = #expect(throws: BackstitchError.self) {
                try device("localhost", [.syncTrustRoots: files.key.path])
            }
            #expect(error?.code == .invalidOption && error?.key == "syncTrustRoots")
        }
    }
}

/// A log that keeps its lines.
