import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// A server whose storage has its own file system, which fills up.
@Suite(
    "a disk that is full", .enabled(if: PostgresServer.canMount, "a file system cannot be mounted"),
    .timeLimit(.minutes(5)))
struct FullDiskTests {
    /// A server with a disk of 24 MB, a third of it ballast.
    private func withSmallDisk(_ body: (TestProcess, TestClient, _ ballast: URL) async throws -> Void) async throws {
        try await withFolder { folder in
            let script =
                "mkdir -p '\(folder.path)' && mount -t tmpfs -o size=24m tests '\(folder.path)' "
                + "&& head -c 8m /dev/zero > '\(folder.path)/ballast' "
                + "&& exec \"$0\" \"$@\""
            let process = try TestProcess(
                at: URL(filePath: "/usr/bin/unshare"),
                [
                    "-m", "/bin/sh", "-c", script, TestProgram.location(of: "backstitch").path, "serve", "--port", "0",
                    "--log-level", "critical", "--any-container", "--until-input-ends", "--storage",
                    folder.appending(path: "zones").path,
                ])
            defer { if process.isRunning { process.kill() } }
            let line = try #require(try await process.nextLine())
            let url = try #require(line.split(separator: " ").last { $0.hasPrefix("http://") })
            // The process sees another file system there than this one does.
            let ballast = URL(filePath: "/proc/\(process.identifier)/root\(folder.path)/ballast")
            try await body(process, TestClient(base: String(url)), ballast)
        }
    }

    @Test("writes are put off with words, reads go on, /ready says so; and all is well when there is room again")
    func full() async throws {
        try await withSmallDisk { process, client, ballast in
            try await client.makeZone()
            let text = WireValue.string(String(repeating: "x", count: 300_000))
            func push(_ name: String) async throws -> WireError? {
                try await client.modify([create(name, ["t": text])], desiredKeys: []).first?.error
            }
            var saved: [String] = [], refusal: WireError?
            while refusal == nil, saved.count < 200 {
                let name = "r\(saved.count)"
                do { refusal = try await push(name) } catch let error as WireError { refusal = error }
                if refusal == nil { saved.append(name) }
            }
            #expect(
                refusal?.code == .tryAgainLater && refusal?.reason.contains("disk is full") == true, "\(refusal as Any)"
            )
            #expect(refusal?.retryAfter == 60)
            #expect(!saved.isEmpty)
            #expect(try await client.lookup(saved.suffix(3)).allSatisfy { $0.error == nil })

            let ready = try await client.send(client.base + "/ready", method: .GET)
            #expect(ready.status == 503 && ready.text.contains("the disk is full"), "\(ready.text)")
            try FileManager.default.removeItem(at: ballast)
            #expect(
                try await eventually { try await client.send(client.base + "/ready", method: .GET).status == 200 })
            #expect(try await push("after") == nil)
            #expect(process.isRunning)
        }
    }
}
