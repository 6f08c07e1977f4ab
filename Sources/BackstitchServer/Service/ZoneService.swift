import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import Logging

/// The work of the server, apart from HTTP: each operation of the wire is a method that takes a scope and a message.
///
/// The service keeps no state of its own beside waiting long polls and the requests that are answered; everything else
/// is in the storage.
struct ZoneService: Sendable {
    let storage: any ZoneStorage
    let assets: any AssetContentStore
    let turns = AssetTurns()
    /// Uploads in parts that have ended of late, for clients that have not heard the answer.
    let endedUploads = Locked(GenerationalCache<PartialName, Bool>(limit: 10_000))
    /// Names this server among those that share its storage.
    let server: Int64
    let signer: TokenSigner
    let receipts: AssetReceipts
    let hub: PushHub
    /// The push to apps that do not run; nil where it is not configured.
    let wake: Wake?
    /// The servers that share the storage; nil where none can.
    let neighbours: Neighbours?
    let ledger: UserLedger
    let users: UserDirectory
    /// The sign-in by OpenID Connect; nil where no provider is configured.
    let signIn: SignIn?
    let metrics: ServerMetrics
    let clock: any WallClock
    let random: any ServerRandom
    let configuration: ZoneServerConfiguration

    /// - Parameter assets: The place of assets' content; nil for the storage's own folder.
    init(
        storage: any ZoneStorage, assets: (any AssetContentStore)? = nil, configuration: ZoneServerConfiguration,
        metrics: ServerMetrics = ServerMetrics()
    ) {
        self.storage = MeasuredStorage(storage, metrics.storage)
        self.assets = MeasuredContentStore(
            assets ?? FolderContentStore(storage.assets, runner: configuration.runner), metrics.content)
        self.metrics = metrics
        server = storage.isShared ? configuration.random.identifier() : 0
        neighbours = storage.isShared ? Neighbours(server: server) : nil
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
        users = UserDirectory(configuration, self.storage)
        signIn = configuration.signInProviders.isEmpty ? nil : SignIn(configuration, storage: self.storage)
    }

    /// A zone's token for its state now.
    func token(
        _ zone: StoredZone, _ scope: RequestScope, sequence: Int64? = nil, kind: SyncToken.Kind = .zone,
        floor: Int64 = 0
    ) -> String {
        SyncToken(kind: kind, epoch: zone.epoch, sequence: sequence ?? zone.head, floor: floor).text(
            SyncToken.Feed(database: scope.database, zone: zone.place.key), signer)
    }

    /// How records of a zone are shown to the caller.
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

    /// Writes for a caller: the only way to what callers change, so that no operation can forget to ask whether this
    /// one may.
    ///
    /// - Throws: ACCESS_DENIED for a caller who may only read; AUTHENTICATION_FAILED for a signed request that was
    ///   taken before, by whichever server of the storage.
    func change<Value: Sendable>(
        _ scope: RequestScope, bytes: Int = 0, _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value {
        try scope.requireWriting()
        guard let signature = scope.signature, !signature.isNoted else {
            return try await storage.write(for: scope.user, bytes: bytes, body)
        }
        let value = try await storage.write(for: scope.user, bytes: bytes) { writing in
            try signature.note(writing)
            return try body(writing)
        }
        signature.setNoted()
        return value
    }

    /// Makes all sync tokens given so far invalid.
    func invalidateSyncTokens() async throws {
        try await storage.write { [random] writing in try writing.renewEpochs { random.identifier() } }
    }

    /// - Throws: BAD_REQUEST in a database that an item of the request has no meaning for.
    static func require(_ scopes: [DatabaseScope], _ scope: RequestScope) throws(WireError) {
        guard scopes.contains(scope.database.scope) else { throw WireError.notApplicable(in: scope.database.scope) }
    }
}
