import Backstitch
import CloudWire
import Foundation

/// The parsed options of a synced store.
struct SyncOptions: Sendable {
    var backingType: String
    var serverURL: URL
    var container: String
    var environment: String
    var zoneName: String
    var database: SyncDatabase
    var subscriptions: SubscriptionNames
    var credentials: SyncCredentials
    var credentialStore: (any SyncCredentialStore)?
    var trustRoots: String?
    var policy: ConflictResolutionPolicy
    var resolvers: ConflictResolvers?
    var resets: SyncResetPolicy
    /// The user's rights in the public database if the server does not name them, by entity.
    var publicRights: [String: CreatorRights.Rights]
    var syncsOnSave: Bool
    var sentSaves: SentSaves
    var isAutomatic: Bool
    var isReadOnly: Bool
    var connectivity: (any SyncConnectivity)?
    var encryptionKeys: (any EncryptionKeyProvider)?
    var shareIdentity: (any ShareIdentityProvider)?
    var keyTrust: ParticipantKeyTrust
    var excludedAssets: Set<String>
    /// The size of the largest automatic asset, in bytes.
    var automaticAssetSize: Int64
    /// The size of the largest asset that is accepted from the server, in bytes.
    var largestAsset: Int64
    /// The hosts for the upload and download of assets; nil for any that the server names.
    var assetHosts: Set<String>?
    /// The interval of polls, in milliseconds.
    var pollInterval: Int64
    /// The time limit of a request, in milliseconds.
    var requestTimeout: Int64

    static let defaultBackingType = "SQLite"
    /// The default size of the largest asset, in bytes: five times CloudKit's limit.
    static let usualLargestAsset: Int64 = 256 << 20

    static let specifications: [OptionSpecification] = [
        .init(.backingStoreType, .string, "the type of the store that is synced"),
        .init(.syncServerURL, .url(schemes: ["http", "https"]), "the address of the zone server"),
        .init(.syncContainer, .string, "the container on the server"),
        .init(.syncEnvironment, .choice(["development", "production"]), "the container's environment"),
        .init(.syncZoneName, .string, "the zone of the records"),
        .init(
            .syncDatabase, .choice(SyncDatabase.allCases.map(\.rawValue)),
            "the user's own zones, the zones that others share, or the public database"),
        .init(.syncSubscriptionName, .string, "the name of the subscription to the zone's changes"),
        .init(.syncAPIToken, .string, "the token that identifies the program to the server", secret: true),
        .init(.syncWebAuthToken, .string, "the token that identifies the user to the server", secret: true),
        .init(
            .syncCredentialStore, .code("a SyncCredentialStore", { $0 is any SyncCredentialStore }),
            "the store for the tokens that the server issues"),
        .init(.syncTrustRoots, .string, "the file of the authorities that sign the server's certificate"),
        .init(
            .syncConflictResolutionPolicy, .choice(ConflictResolutionPolicy.allCases.map(\.rawValue)),
            "the side that wins if both sides changed the same value"),
        .init(
            .syncConflictResolvers, .code("ConflictResolvers", { $0 is ConflictResolvers }),
            "code that decides conflicts, by entity or property"),
        .init(
            .syncResetPolicy,
            .code(
                "text (\(SyncResetAction.allCases.map(\.rawValue).joined(separator: ", "))) or a SyncResetPolicy",
                { $0 is SyncResetPolicy || ($0 as? String).flatMap(SyncResetAction.init) != nil }),
            "the reaction to another user or another zone"),
        .init(.syncOnSave, .boolean, "whether a save begins a sync"),
        .init(
            .syncPublicRights,
            .code("rights (CreatorRights.Rights) by entity", { $0 is [String: CreatorRights.Rights] }),
            "the user's rights in a public database that does not name them"),
        .init(.syncAuthors, .strings, "the authors whose saves are sent"),
        .init(.syncContextNames, .strings, "the contexts whose saves are sent"),
        .init(.syncAutomatically, .boolean, "whether opening the store and the server's notifications begin a sync"),
        .init(.syncReadOnly, .boolean, "whether the store follows its zone and sends no changes"),
        .init(
            .syncConnectivity, .code("a SyncConnectivity", { $0 is any SyncConnectivity }),
            "code that says whether the network may be used now"),
        .init(
            .syncEncryptionKeys, .code("an EncryptionKeyProvider", { $0 is any EncryptionKeyProvider }),
            "gives the keys of encrypted attributes"),
        .init(
            .syncShareIdentity, .code("a ShareIdentityProvider", { $0 is any ShareIdentityProvider }),
            "gives the user's key pair, which opens the keys of shared zones"),
        .init(
            .syncKeyTrust, .code("a ParticipantKeyTrust", { $0 is ParticipantKeyTrust }),
            "decides whose public keys are trusted"),
        .init(.excludedUnchangingAsyncAssetKeys, .strings, "assets that are downloaded only when asked for"),
        .init(
            .syncAutomaticAssetSize, .integer(0...(1 << 40)),
            "the size in bytes of the largest asset that is downloaded automatically"),
        .init(
            .syncMaximumAssetSize, .integer(1...(1 << 40)),
            "the size in bytes of the largest asset that is accepted from the server"),
        .init(.syncAssetHosts, .strings, "the hosts that may have the bytes of assets, besides the server"),
        .init(.syncPollInterval, .seconds, "seconds between two checks of a server that sends no notifications"),
        .init(.syncRequestTimeout, .seconds, "seconds to wait for an answer"),
    ]

    /// Reads and checks the options.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` with every fault: an option that is missing, out of bounds,
    ///   contradicts another, or names something that the model does not have.
    ///
    /// - Parameter model: The model for the look-up of names; nil if no store is opened.
    init(_ options: StoreOptions, model: ResolvedModel?) throws {
        var faults: [BackstitchError] = []
        let url: URL? = options.value(.syncServerURL)
        if url == nil {
            faults.append(
                Self.fault(
                    .syncServerURL, "is needed: give the address of the zone server, such as \"https://example.org\""))
        }
        let chosen: String? = options.value(.syncConflictResolutionPolicy)
        backingType = options.value(.backingStoreType) ?? Self.defaultBackingType
        serverURL = url ?? URL(fileURLWithPath: "/")
        container = options.value(.syncContainer) ?? "iCloud.backstitch"
        environment = options.value(.syncEnvironment) ?? "development"
        database = options.value(.syncDatabase, as: String.self).flatMap(SyncDatabase.init) ?? .private
        let zone: String? = options.value(.syncZoneName)
        zoneName = database == .public ? ZoneID.defaultZoneName : zone ?? "Backstitch"
        let subscription: String? = options.value(.syncSubscriptionName)
        subscriptions =
            subscription.map { SubscriptionNames($0) } ?? SubscriptionNames(ofZone: zoneName, in: database)
        credentials = SyncCredentials(
            apiToken: options.value(.syncAPIToken), webAuthToken: options.value(.syncWebAuthToken))
        credentialStore = options.value(.syncCredentialStore)
        trustRoots = options.value(.syncTrustRoots)
        policy = chosen.flatMap(ConflictResolutionPolicy.init) ?? .serverWins
        resolvers = options.value(.syncConflictResolvers)
        let word = options.value(.syncResetPolicy, as: String.self).flatMap(SyncResetAction.init)
        resets = options.value(.syncResetPolicy) ?? word.map(SyncResetPolicy.always) ?? .standard
        publicRights = options.value(.syncPublicRights) ?? [:]
        syncsOnSave = options.value(.syncOnSave) ?? true
        sentSaves = SentSaves(options)
        isAutomatic = options.value(.syncAutomatically) ?? true
        isReadOnly = options.value(.syncReadOnly) ?? false
        connectivity = options.value(.syncConnectivity)
        // The machine itself is reachable without a network.
        if connectivity is NetworkMonitor, serverURL.isLoopback { connectivity = nil }
        encryptionKeys = options.value(.syncEncryptionKeys)
        shareIdentity = options.value(.syncShareIdentity)
        keyTrust = options.value(.syncKeyTrust) ?? .onFirstUse
        excludedAssets = Set(options.value(.excludedUnchangingAsyncAssetKeys, as: [String].self) ?? [])
        automaticAssetSize = options.value(.syncAutomaticAssetSize, as: Int.self).map(Int64.init) ?? .max
        largestAsset = options.value(.syncMaximumAssetSize, as: Int.self).map(Int64.init) ?? Self.usualLargestAsset
        assetHosts = options.value(.syncAssetHosts, as: [String].self).map { Set($0.map { $0.lowercased() }) }
        pollInterval = Int64((options.value(.syncPollInterval, as: Double.self) ?? 30) * 1_000)
        requestTimeout = Int64((options.value(.syncRequestTimeout, as: Double.self) ?? 30) * 1_000)
        faults += textFaults() + contradictions(in: options)
        if let model {
            faults += assetFaults(model) + resolverFaults(model) + encryptionFaults(model) + publicFaults(model)
        }
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .invalidOption, summary: "\(faults.count) options of the synced store are wrong:")
        }
    }

    /// The faults of options that contradict each other or are out of bounds.
    private func contradictions(in options: StoreOptions) -> [BackstitchError] {
        var faults: [BackstitchError] = []
        if database == .public, options.value(.syncZoneName, as: String.self) != nil {
            faults.append(Self.fault(.syncZoneName, "is given, and the public database has one zone; leave it out"))
        }
        if database != .public, !publicRights.isEmpty {
            faults.append(
                Self.fault(
                    .syncPublicRights,
                    "is given, and the store is one of the \(database.rawValue) database; leave it out, or give "
                        + "syncDatabase: \"public\""))
        }
        if !isAutomatic, options.value(.syncOnSave) == true {
            faults.append(Self.fault(.syncOnSave, "is true while syncAutomatically is false; give only one of them"))
        }
        if sentSaves.isEmpty {
            faults.append(
                Self.fault(
                    options.value(.syncAuthors, as: [String].self) == nil ? .syncContextNames : .syncAuthors,
                    "is empty, so no save would be sent; give at least one name, or leave it out to send all saves"))
        }
        if pollInterval < 100 { faults.append(Self.fault(.syncPollInterval, "must be at least 0.1 seconds")) }
        if requestTimeout < 100 { faults.append(Self.fault(.syncRequestTimeout, "must be at least 0.1 seconds")) }
        return faults
    }

    /// A text that identifies the store's zone. A store that is opened with another zone begins without any state
    /// there.
    var scope: String {
        let zone = "\(serverURL.absoluteString) \(container) \(environment) \(zoneName)"
        return database == .private ? zone : "\(zone) \(database.rawValue)"
    }

    /// The address of the server for messages, without the parts that may be secret.
    var serverPlace: String {
        guard var components = URLComponents(url: serverURL, resolvingAgainstBaseURL: true) else {
            return "its address"
        }
        (components.user, components.password, components.query, components.fragment) = (nil, nil, nil, nil)
        return components.string ?? "its address"
    }

    /// - Throws: ``BackstitchError/Code/readOnly`` when the store only reads its zone.
    func requireWriting() throws {
        if isReadOnly { throw readOnlyError }
    }

    var readOnlyError: BackstitchError {
        BackstitchError(
            .readOnly,
            "the synced store only follows the zone \"\(zoneName)\" (option syncReadOnly); open it without that option to "
                + "change something")
    }

    /// - Throws: ``BackstitchError/Code/invalidRequest`` in the shared and the public database, where no zone is the
    ///   user's own.
    func requireOwnZones(_ deed: String, else remedy: String) throws {
        if database == .private { return }
        if database == .public {
            throw BackstitchError(
                .invalidRequest,
                "a store of the public database (option syncDatabase) cannot \(deed): it has one zone, which "
                    + "belongs to all users"
            )
        }
        throw BackstitchError(
            .invalidRequest,
            "a store of the shared database (option syncDatabase) cannot \(deed): they belong to their owners; "
                + "\(remedy)")
    }

    private func textFaults() -> [BackstitchError] {
        var faults: [BackstitchError] = []
        for (option, token) in [
            (StoreOption.syncAPIToken, credentials.apiToken), (.syncWebAuthToken, credentials.webAuthToken),
        ] {
            guard let token, !SyncCredentials.isSendable(token) || token.isEmpty else { continue }
            let fault = token.isEmpty ? "is empty" : "has a blank, a line break or the like in it"
            faults.append(
                Self.fault(
                    option, "\(fault); give the token as the server's owner has made it, or leave the option out"))
        }
        for (option, text) in [(StoreOption.syncContainer, container), (.syncSubscriptionName, subscriptions.zone)]
        where !Self.isPathPart(text) {
            faults.append(Self.fault(option, "must be 1 to 255 letters, digits, dots, hyphens or underscores"))
        }
        if database != .public, !Self.isPathPart(zoneName) || zoneName.hasPrefix("_") {
            faults.append(
                Self.fault(
                    .syncZoneName,
                    "must be 1 to 255 letters, digits, dots, hyphens or underscores, and not begin with one"))
        }
        return faults
    }

    private func publicFaults(_ model: ResolvedModel) -> [BackstitchError] {
        publicRights.keys.sorted().filter { model.entity(named: $0) == nil }.map {
            Self.fault(.syncPublicRights, "names \"\($0)\", and the model has no such entity")
        }
    }

    private func assetFaults(_ model: ResolvedModel) -> [BackstitchError] {
        let assets = model.entities.flatMap { entity in
            entity.ownColumns.filter { $0.attribute?.allowsExternalStorage == true }
                .flatMap { [$0.name, "\(entity.name).\($0.name)"] }
        }
        return excludedAssets.subtracting(assets).sorted().map {
            Self.fault(
                .excludedUnchangingAsyncAssetKeys,
                "names \"\($0)\", which is not a binary attribute with external storage"
            )
        }
    }

    /// Returns a fault if the model has encrypted attributes without keys. Their values would never be sent, or would
    /// be sent unencrypted.
    private func encryptionFaults(_ model: ResolvedModel) -> [BackstitchError] {
        let encrypted = model.entities.flatMap { entity in
            entity.ownColumns.filter { $0.attribute?.isEncrypted == true }.map { "\(entity.name).\($0.name)" }
        }
        // In another user's zone, its owner's keys are enough.
        let hasKeys = encryptionKeys != nil || database == .shared && shareIdentity != nil
        guard MissingEncryption.isBuilt || !hasKeys && encrypted.isEmpty else {
            return [
                Self.fault(
                    encryptionKeys == nil ? .syncShareIdentity : .syncEncryptionKeys,
                    "asks for encryption: " + MissingEncryption.advice)
            ]
        }
        guard !hasKeys, !encrypted.isEmpty else { return [] }
        return [
            Self.fault(
                .syncEncryptionKeys,
                "is needed: \(encrypted.sorted().joined(separator: ", ")) "
                    + "\(encrypted.count == 1 ? "is" : "are") encrypted; give an EncryptionKeyProvider, an "
                    + "EncryptionKeyFile for instance")
        ]
    }

    private func resolverFaults(_ model: ResolvedModel) -> [BackstitchError] {
        let known = model.entities.flatMap { entity in
            [entity.name] + entity.ownColumns.map { "\(entity.name).\($0.name)" }
        }
        return Set(resolvers?.byPath.keys.map(\.self) ?? []).subtracting(known).sorted().map {
            Self.fault(
                .syncConflictResolvers,
                "names \"\($0)\", which is not an entity, and not an attribute or to-one relationship of one")
        }
    }

    private static func isPathPart(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            } && text != "." && text != ".."
    }

    private static func fault(_ option: StoreOption, _ text: String) -> BackstitchError {
        BackstitchError(.invalidOption, "option \"\(option)\" \(text)", key: option.rawValue)
    }
}
