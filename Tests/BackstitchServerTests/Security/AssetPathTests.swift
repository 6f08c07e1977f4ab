import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("paths of assets") struct AssetPathTests {
    /// Strings that lead out of folders, by known attacks on servers.
    private static func randomPaths(_ count: Int, _ random: inout SeededGenerator) -> [String] {
        let long = String(repeating: "a", count: 64)
        let parts: [String] = [
            "..", ".", "%2e%2e", "%2E.", ".%2e", "%252e%252e", "..%00", "....", "..;", "%c0%ae%c0%ae", "..%5c", "%2f",
            "%5c", "", "etc", "passwd", "zones.sqlite", "assets", "incoming", "partial", "1", "00", "aa", "C:", "~",
            "proc",
            "self", "%00", "download", "bytes", long, "%E2%80%A5",
        ]
        return (0..<count).map { _ in
            (0..<Int.random(in: 1...8, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
                .joined(separator: Bool.random(using: &random) ? "/" : "%2f")
        }
    }

    @Test("of 2,000 paths none leads to a file, and none makes the server fail")
    func paths() async throws {
        let seed = SeededGenerator.seed()
        print("counted: paths of assets, seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let paths = Self.randomPaths(2_000, &random)
        try await withFolder { folder in
            try await withServer({
                $0.storage = .directory(folder)
                $0.userQuotas.requestsPerSecond = 100_000
            }) { client, _ in
                try await client.makeZone()
                let url = try await client.saveAsset("A", Array("content".utf8))
                let query = try #require(url.split(separator: "?").last)
                let places = [("/assets/download/", "?\(query)"), ("/assets/download/1/", ""), ("/", "")]
                for (number, path) in paths.enumerated() {
                    let (prefix, suffix) = places[number % places.count]
                    let answer = try await client.send(client.base + prefix + path + suffix, method: .GET)
                    #expect([400, 404].contains(answer.status), "seed \(seed): \(prefix)\(path): \(answer.status)")
                }
                #expect(try await client.send(url, method: .GET).text == "content")
            }
        }
    }

    @Test(
        "a page or a picture with a program in it is sent as something to keep, not to show",
        arguments: StorageKind.allCases)
    func inert(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            let contents = [
                "<html><script>alert(1)</script></html>", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
            ]
            for (number, content) in contents.enumerated() {
                let url = try await client.saveAsset("A\(number)", Array(content.utf8))
                let answer = try await client.send(url, method: .GET)
                #expect(answer.text == content)
                #expect(answer.headers.first(name: "Content-Type") == "application/octet-stream")
                #expect(answer.headers.first(name: "Content-Disposition") == "attachment")
                #expect(answer.headers.first(name: "X-Content-Type-Options") == "nosniff")
                #expect(answer.headers.first(name: "Content-Security-Policy") == "sandbox")
            }
        }
    }
}
