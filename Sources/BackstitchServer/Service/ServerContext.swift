import Backstitch
import BackstitchSupport
import CloudWire

/// The parts of a server that the operations of all subjects share.
///
/// It keeps little state of its own: waiting long polls, requests in progress, and caches. Everything else is in the
/// storage.
final class ServerContext: Sendable {
    let configuration: ZoneServerConfiguration
    let storage: ZoneStorage
    let signer: TokenSigner
    let users: UserDirectory
    let ledger: UserLedger
    let metrics: ServerMetrics
    let push: PushParts

    init(storage: ZoneStorage, configuration: ZoneServerConfiguration, metrics: ServerMetrics) {
        self.configuration = configuration
        self.storage = storage
        self.metrics = metrics
        signer = TokenSigner(secret: storage.secret)
        users = UserDirectory(configuration, storage)
        ledger = UserLedger(configuration.userQuotas, bytesOfAll: configuration.bytesAtOnce)
        push = PushParts(configuration, metrics, isShared: storage.isShared)
    }

    var clock: any WallClock { configuration.clock }
    var random: any ServerRandom { configuration.random }
    var receipts: AssetReceipts { AssetReceipts(signer: signer) }
    /// The number of this server among those that share its storage; 0 if the storage is not shared.
    var number: Int64 { push.peers?.server ?? 0 }

    /// Writes for a caller. All changes by callers go through here, so no operation can forget the check of the right
    /// to write.
    ///
    /// - Parameter frees: Whether the request only deletes, so a full disk does not prevent it.
    /// - Throws: ACCESS_DENIED for a caller who may only read; AUTHENTICATION_FAILED for a signed request that any
    ///   server of the storage has already accepted.
    func change<Value: Sendable>(
        _ scope: RequestScope, bytes: Int = 0, frees: Bool = false,
        _ body: @escaping @Sendable (ZoneTransaction) throws -> Value
    ) async throws -> Value {
        try scope.requireWriting()
        guard let signature = scope.signature, !signature.isNoted else {
            return try await storage.write(for: scope.user, bytes: bytes, frees: frees, body)
        }
        let value = try await storage.write(for: scope.user, bytes: bytes, frees: frees) { writing in
            try signature.note(writing)
            return try body(writing)
        }
        signature.setNoted()
        return value
    }
}
