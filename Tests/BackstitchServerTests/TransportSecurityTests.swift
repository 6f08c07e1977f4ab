import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchServer

/// The files of a certificate, as a server looks at them before it does anything else.
@Suite struct TransportSecurityTests {
    /// Makes a certificate and its key.
    private func certificate(
        _ name: String, of key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"], in folder: URL
    ) throws -> ZoneServerConfiguration.TransportSecurity {
        let files = ZoneServerConfiguration.TransportSecurity(
            certificate: folder.appending(path: "\(name).crt"), privateKey: folder.appending(path: "\(name).key"))
        let openssl = try TestProcess(
            at: URL(filePath: "/usr/bin/env"),
            [
                "openssl", "req", "-x509", "-days", "2", "-subj", "/CN=localhost", "-nodes", "-keyout",
                files.privateKey.path, "-out", files.certificate.path, "-newkey",
            ] + key, errors: .withOutput
        ).finish()
        try #require(openssl.status == 0, "\(openssl.output)")
        return files
    }

    @Test("a key that is not the certificate's is refused before the storage is made, with both files named")
    func foreignKey() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let own = try certificate("own", in: folder), other = try certificate("other", in: folder)
            let place = folder.appending(path: "zones")
            func server(_ key: URL) throws -> ZoneServer {
                var configuration = ZoneServerConfiguration(port: 0, storage: .directory(place))
                configuration.logger.logLevel = .critical
                configuration.transportSecurity = .init(certificate: own.certificate, privateKey: key)
                return try ZoneServer(configuration: configuration)
            }
            let error = await #expect(throws: ZoneServerError.self) { try await server(other.privateKey).start() }
            #expect(error?.code == .invalidConfiguration && error?.cause != nil)
            for file in [own.certificate, other.privateKey] {
                #expect(error?.message.contains("'\(file.path)'") == true, "\(error?.message ?? "")")
            }
            #expect(!FileManager.default.fileExists(atPath: place.path))

            let running = try server(own.privateKey)
            #expect(try await running.start().scheme == "https")
            try await running.stop()
        }
    }

    @Test("only suites that are forward-secret and authenticated are spoken", arguments: ["RSA", "ECDSA"])
    func suites(_ kind: String) async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let files =
                kind == "RSA"
                ? try certificate("own", of: ["rsa:2048"], in: folder) : try certificate("own", in: folder)
            try await withServer({ $0.transportSecurity = files }) { client, _ in
                let port = try #require(URL(string: client.base)?.port)
                var suites = ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"].map { suite in
                    ("ECDHE-\(kind)-\(suite)", true)
                }
                suites += ["AES128-SHA", "AES256-SHA", "AES128-SHA256"].map { ("ECDHE-\(kind)-\($0)", false) }
                suites += ["AES128-SHA", "AES256-SHA", "AES128-GCM-SHA256", "AES256-GCM-SHA384"].map { ($0, false) }
                for (suite, isTaken) in suites {
                    let end = try await handshake(port, ["-tls1_2", "-cipher", "\(suite):@SECLEVEL=0"])
                    #expect((end.status == 0) == isTaken, "\(suite): \(end.output)")
                    if !isTaken { #expect(end.output.contains("handshake failure"), "\(suite): \(end.output)") }
                }
                for version in ["-tls1", "-tls1_1"] {
                    let end = try await handshake(port, [version, "-cipher", "ALL:@SECLEVEL=0"])
                    #expect(end.output.contains("alert protocol version"), "\(version): \(end.output)")
                }
                let newest = try await handshake(port, ["-tls1_3"])
                #expect(newest.status == 0, "\(newest.output)")
            }
        }
    }

    private func handshake(_ port: Int, _ options: [String]) async throws -> (status: Int32, output: String) {
        try await BlockingWork.run {
            let end = try TestProcess(
                at: URL(filePath: "/usr/bin/env"),
                ["sh", "-c", "openssl s_client -connect 127.0.0.1:\(port) \"$@\" </dev/null", "sh"] + options,
                errors: .withOutput
            ).finish()
            return (end.status, end.output)
        }
    }
}
