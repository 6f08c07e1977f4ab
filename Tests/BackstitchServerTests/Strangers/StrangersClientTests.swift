import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Clients of CloudKit Web Services that others wrote.
@Suite("strangers' clients") struct StrangersClientTests {
    /// The client sends assets over TLS only, so the server has a certificate of its own.
    private func certificate(in folder: URL) throws -> ZoneServerConfiguration.TransportSecurity {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = ZoneServerConfiguration.TransportSecurity(
            certificate: folder.appending(path: "server.crt"), privateKey: folder.appending(path: "server.key"))
        let openssl = try TestProcess(
            at: URL(filePath: "/usr/bin/env"),
            [
                "openssl", "req", "-x509", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", files.privateKey.path, "-out",
                files.certificate.path,
            ], errors: .withOutput
        ).finish()
        try #require(openssl.status == 0, "\(openssl.output)")
        return files
    }

    @Test(
        "pyicloud queries, looks up, modifies by all seven operations, follows changes, moves assets and subscribes, also with its strict models",
        arguments: StorageKind.allCases)
    func pyicloud(_ kind: StorageKind) async throws {
        try await withFolder { folder in
            let files = try certificate(in: folder)
            try await withServer(
                on: kind,
                {
                    $0.transportSecurity = files
                    $0.apiTokens = [TokenDigest(of: strong("api"))]
                    $0.users = [.init(userRecordName: "_stranger", webAuthToken: strong("stranger"))]
                }
            ) { client, _ in
                let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "cloudkit_client.py")
                let process = try TestProcess(
                    at: URL(filePath: "/usr/bin/env"),
                    [
                        TestProcess.python, script.path, client.base, files.certificate.path, strong("api"),
                        strong("stranger"),
                    ])
                let lines = try await process.remainingLines()
                let status = try await process.ended().status
                for line in lines where line.contains("\"failed\"") { Issue.record("\(kind): \(line)") }
                if lines.contains(where: { $0.contains("\"lacking\"") }) {
                    Issue.record("needs pyicloud; scripts/bootstrap installs it, or: pip install pyicloud==2026.10.1")
                }
                #expect(status == 0)
                let end = try #require(lines.last?.data(using: .utf8))
                let counts = try #require(try JSONSerialization.jsonObject(with: end) as? [String: Int])
                #expect(counts["failures"] == 0 && (counts["checks"] ?? 0) > 250, "\(lines.last ?? "")")
            }
        }
    }
}
