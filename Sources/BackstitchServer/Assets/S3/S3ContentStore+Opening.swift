#if TLS
import AsyncHTTPClient
import Backstitch
import BackstitchSupport
import Foundation
import Logging
import NIOCore

extension S3ContentStore {
    /// The object that names the owner of the prefix.
    private static let mark = "backstitch-storage"

    /// Opens the store of a server's storage. It checks the access to the store, and claims the prefix for the storage.
    ///
    /// Without the claim, another storage with the same prefix would remove this storage's content as unused.
    ///
    /// - Parameter secret: The secret of the storage. Servers of one storage share a prefix.
    /// - Throws: ``ZoneServerError`` with advice, if the store refuses access or the prefix belongs to another storage.
    static func open(
        _ configuration: S3Configuration, secret: [UInt8], for server: ZoneServerConfiguration
    ) async throws -> S3ContentStore {
        let client = S3Client(configuration: configuration, clock: server.clock, random: server.random)
        let store = S3ContentStore(client: client, runner: server.runner, logger: server.logger)
        do {
            try await client.perform(
                client.request("GET", [("list-type", "2"), ("max-keys", "1"), ("prefix", configuration.key(""))]))
            try await store.claim(secret)
        } catch let failure as S3Failure {
            throw ZoneServerError(.storageUnavailable, failure.advice(configuration))
        }
        if configuration.endpoint?.scheme?.lowercased() == "http",
            !(configuration.endpoint?.host ?? "").isLoopbackHost
        {
            server.logger.warning(
                "assets cross the network to their store unencrypted; give it a certificate and an endpoint of https")
        }
        return store
    }

    /// Writes the mark of the storage, unless the prefix has one.
    private func claim(_ secret: [UInt8]) async throws {
        let own = HMACSHA256.code(for: Array(Self.mark.utf8), key: secret).prefix(16).hexadecimal
        if let owner = try await owner() { return try check(owner, own) }
        var request = client.request("PUT", key: configuration.key(Self.mark))
        request.headers = [("content-type", "text/plain"), ("if-none-match", "*")]
        request.digest = SHA256.hash(data: Array(own.utf8)).hexadecimal
        do { try await client.perform(request, .text(own)) } catch let failure as S3Failure
            where failure.has(code: "PreconditionFailed") || failure.has(code: "ConditionalRequestConflict")
        {
            // Another server was faster. It may belong to the same storage.
        }
        try check(try await owner() ?? "", own)
    }

    /// The owner in the mark; nil if there is none.
    private func owner() async throws -> String? {
        do {
            let response = try await client.open(client.request("GET", key: configuration.key(Self.mark)))
            return String(buffer: try await response.body.collect(upTo: 1024))
        } catch let failure as S3Failure where failure.isMissingObject {
            return nil
        }
    }

    /// Compares the mark with this storage's own.
    ///
    /// - Throws: ``ZoneServerError`` if the prefix belongs to another storage.
    private func check(_ owner: String, _ own: String) throws {
        guard owner != own else { return }
        throw ZoneServerError(
            .storageUnavailable,
            """
            \(configuration.place) has the assets of another storage; give this one a prefix of its own (--assets \
            s3://\(configuration.bucket)/PREFIX). If that storage is gone for good, remove the object \
            '\(configuration.key(Self.mark))'
            """)
    }
}
#endif
