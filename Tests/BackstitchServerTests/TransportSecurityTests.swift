import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchServer

/// The files of a certificate, as a server looks at them before it does anything else.
@Suite struct TransportSecurityTests {
    /// Makes a certificate and its key.
    private func certificate(_ name: String, in folder: URL) throws -> ZoneServerConfiguration.TransportSecurity {
        let files = ZoneServerConfiguration.TransportSecurity(
            certificate: folder.appending(path: "\(name).crt"), privateKey: folder.appending(path: "\(name).key"))
        let openssl = try TestProcess(
            at: URL(filePath: "/usr/bin/env"),
            [
                "openssl", "req", "-x509", "-days", "2", "-subj", "/CN=localhost", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", files.privateKey.path, "-out",
                files.certificate.path,
            ], errors: .withOutput
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
}
