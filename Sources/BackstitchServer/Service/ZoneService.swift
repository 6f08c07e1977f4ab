import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import Logging

/// The work of the server, without HTTP. Each operation of the wire is a method with a scope and a message.
///
/// The service keeps little state of its own: waiting long polls, requests in progress, and caches. Everything else is
/// in the storage.
struct ZoneService: Sendable {
    let storage: ZoneStorage
    let assets: any AssetContentStore
    let turns = AssetTurns()
    /// Recently ended uploads in parts, for clients that did not receive the answer.
    let endedUploads = Locked(GenerationalCache<PartialName, Bool>(limit: 10_000))
    /// The number of this server among those that share its storage; 0 if the storage is not shared.
    let server: Int64
    let signer: TokenSigner
    let receipts: AssetReceipts
    let hub: PushHub
    /// The news of commits that are still to be told.
    let stage = PushStage()
    /// The push to apps that are not running; nil if it is not configured.
    let wake: Wake?
    /// The other servers of the storage; nil if the storage cannot be shared.
    let peers: PeerServers?
    let ledger: UserLedger
    let users: UserDirectory
    /// The sign-in by OpenID Connect; nil if no provider is configured.
    let signIn: SignIn?
    let metrics: ServerMetrics
    let clock: any WallClock
    let random: any ServerRandom
    let configuration: ZoneServerConfiguration

    /// Makes the service of a storage.
    ///
    /// - Parameter assets: The store for the content of assets; nil for the storage's own folder.
    init(
        storage: ZoneStorage, assets: (any AssetContentStore)? = nil, configuration: ZoneServerConfiguration,
        metrics: ServerMetrics = ServerMetrics()
    ) {
        self.storage = storage
        self.assets = MeasuredContentStore(
            assets ?? FolderContentStore(storage.assets, runner: configuration.runner), metrics.content)
        self.metrics = metrics
        server = storage.isShared ? configuration.random.identifier() : 0
        peers = storage.isShared ? PeerServers(server: server) : nil
        self.configuration = configuration
        signer = TokenSigner(secret: storage.secret)
        receipts = AssetReceipts(signer: signer)
        clock = configuration.clock
        random = configuration.random
        hub = PushHub(clock: configuration.clock)
        wake = configuration.apns.map { apns in
            Wake(apns, metrics.wakes, clock: configuration.clock, logger: configuration.logger)
        }
        ledger = UserLedger(configuration.userQuotas, bytesOfAll: configuration.bytesAtOnce)
        users = UserDirectory(configuration, storage)
        signIn = configuration.signInProviders.isEmpty ? nil : SignIn(configuration, storage: storage)
    }

    /// A token of a zone's feed, for its present end or another sequence.
    func token(
        _ zone: StoredZone, _ scope: RequestScope, sequence: Int64? = nil, kind: SyncToken.Kind = .zone,
        floor: Int64 = 0
    ) -> String {
        SyncToken(kind: kind, epoch: zone.epoch, sequence: sequence ?? zone.head, floor: floor).text(
            SyncToken.Feed(database: scope.database, zone: zone.place.key), signer)
    }

    /// The renderer for records of a zone, in the view of the caller.
    func renderer(
        _ zone: StoredZone, _ scope: RequestScope, shares: [StoredShare] = [], desiredKeys: Set<String>?,
        numbersAsStrings: Bool
    ) -> RecordRenderer {
        let expires = clock.milliseconds() + Int64(configuration.downloadLifetime) * 1000
        return RecordRenderer(
            zoneID: scope.zoneID(zone.place), shares: shares.map { ShownShare($0, to: scope.user) },
            desiredKeys: desiredKeys, numbersAsStrings: numbersAsStrings
        ) { [receipts] checksum in
            scope.baseURL + receipts.downloadPath(tenantID: zone.tenantID, checksum, expires: expires)
        }
    }

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

    /// Makes all present sync tokens invalid.
    func invalidateSyncTokens() async throws {
        try await storage.write { [random] writing in try writing.renewEpochs { random.identifier() } }
    }

    /// Checks that an item of the request is possible in the caller's database.
    ///
    /// - Throws: BAD_REQUEST if it is not.
    static func require(_ scopes: [DatabaseScope], _ scope: RequestScope) throws(WireError) {
        guard scopes.contains(scope.database.scope) else { throw WireError.notApplicable(in: scope.database.scope) }
    }
}
