public import Backstitch

extension StoreOption {
    /// The type name of the wrapped store: `"SQLite"` unless given. Its own options are in the same dictionary.
    public static let backingStoreType: StoreOption = "backingStoreType"
    /// The address of the zone server, for example `https://example.org`. Required.
    public static let syncServerURL: StoreOption = "syncServerURL"
    /// The container on the server: `"iCloud.backstitch"` unless given.
    public static let syncContainer: StoreOption = "syncContainer"
    /// The environment of the container: `"development"` (unless given) or `"production"`.
    public static let syncEnvironment: StoreOption = "syncEnvironment"
    /// The zone of the records: `"Backstitch"` unless given. The public database has one zone, and accepts no name.
    public static let syncZoneName: StoreOption = "syncZoneName"
    /// The container's database for this store: `"private"` (unless given), `"shared"` or `"public"`, see
    /// ``SyncDatabase``.
    public static let syncDatabase: StoreOption = "syncDatabase"
    /// The name of the subscription to the zone's changes, and the prefix of the other subscriptions. The default is
    /// `"Backstitch."` with the names of the zone and the database, so that each zone has its own. A user has one
    /// subscription of each name: if two stores use one name, only the last to subscribe receives notifications.
    public static let syncSubscriptionName: StoreOption = "syncSubscriptionName"
    /// The token that identifies the program to the server. It is a secret.
    public static let syncAPIToken: StoreOption = "syncAPIToken"
    /// The token that identifies the user to the server. It is a secret.
    public static let syncWebAuthToken: StoreOption = "syncWebAuthToken"
    /// The place for the user's renewed token: a ``SyncCredentialStore``. The default is a file beside the store that
    /// only its owner can read. A store in memory or in a server's database has no such file.
    public static let syncCredentialStore: StoreOption = "syncCredentialStore"
    /// A file of certificates (PEM) that must sign the server's certificate. It replaces the certificates that the
    /// system trusts, for a server with its own certificate authority. Outside Apple's systems it needs the package's
    /// trait AsyncHTTPClient.
    public static let syncTrustRoots: StoreOption = "syncTrustRoots"
    /// The policy for conflicts: `"serverWins"` (unless given) or `"clientWins"`; see ``ConflictResolutionPolicy``.
    public static let syncConflictResolutionPolicy: StoreOption = "syncConflictResolutionPolicy"
    /// Code that decides conflicts, by entity or property: a ``ConflictResolvers``. The policy decides the others.
    public static let syncConflictResolvers: StoreOption = "syncConflictResolvers"
    /// The action after another user has signed in, or the server has lost the zone. `"keep"` keeps and sends
    /// everything here, `"wipe"` replaces it by the server's data, and `"stop"` stops sync. A ``SyncResetPolicy`` can
    /// also ask; it describes the default.
    public static let syncResetPolicy: StoreOption = "syncResetPolicy"
    /// The user's rights in the public database, by the names of entities: a dictionary of
    /// ``Backstitch/CreatorRights/Rights``. It is for servers that do not name these rights, such as CloudKit with
    /// changed security roles. Entities without an element have CloudKit's default rights. This project's server names
    /// the rights, so the option has no effect there.
    ///
    /// ```swift
    /// options[.syncPublicRights] = ["Wiki": CreatorRights.Rights(mayChangeOthers: true)]
    /// ```
    public static let syncPublicRights: StoreOption = "syncPublicRights"
    /// Whether a save begins a cycle: true unless given.
    public static let syncOnSave: StoreOption = "syncOnSave"
    /// The authors whose saves are sent, by ``Backstitch/ManagedObjectContext/transactionAuthor``. All saves are sent
    /// unless this option or ``syncContextNames`` is given. With both, a save is sent if its author or its context is
    /// named. Batch requests are treated like saves.
    ///
    /// ```swift
    /// options[.syncAuthors] = ["editor"]
    /// try await container.perform(author: "editor") { … }    // goes to the server
    /// try await container.perform(author: "importer") { … }  // stays on this device
    /// ```
    /// ``SyncBlocked/changes()`` lists the changes that stay here. They are merged with others' changes of
    /// the same objects, like all unsent changes. They are sent when a named author saves the object too, or after
    /// ``SyncBlocked/retry(_:)``. If the object already has an unsent change, or one that is being sent, the
    /// new change is sent with it.
    public static let syncAuthors: StoreOption = "syncAuthors"
    /// The contexts whose saves are sent, by ``Backstitch/ManagedObjectContext/name``; see ``syncAuthors``.
    public static let syncContextNames: StoreOption = "syncContextNames"
    /// Whether the opening of the store and the server's notifications begin cycles: true unless given. If it is false,
    /// the store syncs only when ``SyncController/sync(reason:)`` is called.
    public static let syncAutomatically: StoreOption = "syncAutomatically"
    /// Decides whether the network may be used now: a ``SyncConnectivity``. ``NetworkMonitor/shared`` follows the
    /// machine's network. Without this option the store simply tries.
    public static let syncConnectivity: StoreOption = "syncConnectivity"
    /// Provides the keys of encrypted attributes: an ``EncryptionKeyProvider``. Required if the model has any.
    public static let syncEncryptionKeys: StoreOption = "syncEncryptionKeys"
    /// Provides the user's key pair, which opens the keys of shared zones: a ``ShareIdentityProvider``. Without it,
    /// encrypted attributes of a shared zone need a key that the providers of all participants have.
    public static let syncShareIdentity: StoreOption = "syncShareIdentity"
    /// Decides which public keys are trusted: a ``ParticipantKeyTrust``. The default trusts the first one of each user.
    public static let syncKeyTrust: StoreOption = "syncKeyTrust"
    /// Assets that are downloaded on request only: names of attributes with external storage, `"photo"` or
    /// `"Note.photo"`.
    public static let excludedUnchangingAsyncAssetKeys: StoreOption = "excludedUnchangingAsyncAssetKeys"
    /// The size of the largest automatic asset, in bytes. A larger one is downloaded on request
    /// (``SyncAssets/download(_:of:onProgress:)``), like those of ``excludedUnchangingAsyncAssetKeys``.
    /// Unless given, all are automatic. An attribute with its own rule in the model
    /// (``Backstitch/PropertyDescription/synced(assets:)``) follows that rule.
    public static let syncAutomaticAssetSize: StoreOption = "syncAutomaticAssetSize"
    /// Whether the store only reads its zone: sync receives others' changes, nothing is sent, and a save throws
    /// ``BackstitchError/Code/readOnly``. False unless given.
    public static let syncReadOnly: StoreOption = "syncReadOnly"
    /// The interval of polls if the server sends no notifications, in seconds: 30 unless given.
    public static let syncPollInterval: StoreOption = "syncPollInterval"
    /// The time limit for an answer, in seconds: 30 unless given.
    public static let syncRequestTimeout: StoreOption = "syncRequestTimeout"
    /// The size of the largest asset that is accepted from the server, in bytes: 268,435,456 (256 MiB) unless given. A
    /// record with a larger one, or with a negative size, is parked (``SyncBlocked/parkedRecords()``).
    public static let syncMaximumAssetSize: StoreOption = "syncMaximumAssetSize"
    /// The hosts, besides the server's own, for the upload and download of assets: `"example.org"`, or
    /// `"*.example.org"` for all below it. Unless given, the server may name any host that is as safe to reach as the
    /// server itself.
    public static let syncAssetHosts: StoreOption = "syncAssetHosts"
}
