#if !TLS
import Backstitch
import CloudWire
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

// In a build without the trait TLS these types have no values. Each has a property of the type `Never`, and code that
// would make a value is refused before. So the rest of the server needs no conditions.

struct ServerTLS: Sendable {
    private let impossible: Never

    func secured(_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder { switch impossible {} }
}

extension ZoneServerConfiguration.TransportSecurity {
    func load() throws(ZoneServerError) -> ServerTLS { throw ZoneServerError(withoutTLS: "https") }
}

enum S3ContentStore {
    static func open(
        _ configuration: S3Configuration, secret: [UInt8], for server: ZoneServerConfiguration
    ) async throws -> any AssetContentStore {
        throw ZoneServerError(withoutTLS: "a store of assets that speaks S3")
    }
}

struct SignIn: Sendable {
    static let largestRequest = 0

    struct Pending: Sendable {
        fileprivate let impossible: Never
    }

    private let impossible: Never

    init?(_ configuration: ZoneServerConfiguration, storage: ZoneStorage) { return nil }

    func open(_ request: SignInRequest) throws -> Pending { switch impossible {} }
    func verifiers(for pending: Pending) async throws -> [Never] { switch impossible {} }
    func finish(_ pending: Pending, _ verifiers: [Never], in accounts: any SignInAccounts) async throws -> SignInAnswer
    {
        switch impossible {}
    }
}

struct APNsClient: Sendable {
    private let impossible: Never

    init(_ configuration: APNsConfiguration, clock: any WallClock) throws(ZoneServerError) {
        throw ZoneServerError(withoutTLS: "APNs")
    }

    func send(_ push: WakePush) async throws -> APNsAnswer { switch impossible {} }
    func close() async throws { switch impossible {} }
}

struct SignatureClaim: Sendable {
    fileprivate let impossible: Never

    /// Refuses a signed request.
    ///
    /// - Throws: AUTHENTICATION_FAILED for a request that names a key.
    init?(_ headers: HTTPFields) throws(WireError) {
        guard headers.contains(.keyID) || headers.contains(.signature) else { return nil }
        throw WireError(.authenticationFailed, "this server takes no signed requests: it was built without TLS")
    }
}

struct SignedRequest: Sendable {
    fileprivate let impossible: Never

    var key: ZoneServerConfiguration.ServerKey { switch impossible {} }
    var spentSignature: SpentSignature? { switch impossible {} }
}

extension Authenticator {
    func open(
        _ claim: SignatureClaim, for endpoint: WireEndpoint, of container: String, _ database: DatabaseScope?,
        target: String, from address: String
    ) async throws -> SignedRequest {
        switch claim.impossible {}
    }

    func verify(_ signed: SignedRequest, body: ByteBuffer) throws(WireError) { switch signed.impossible {} }
}
#endif
