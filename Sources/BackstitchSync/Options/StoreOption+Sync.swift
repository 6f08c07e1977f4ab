public import Backstitch

extension StoreOption {
    /// The store that the synced store wraps, by its type's name: `"SQLite"` unless given. Its own options stand in the
    /// same dictionary.
    public static let backingStoreType: StoreOption = "backingStoreType"
    /// Where the zone server is, `https://example.org` for instance. Needed.
    public static let syncServerURL: StoreOption = "syncServerURL"
    /// The container on the server: `"iCloud.backstitch"` unless given.
    public static let syncContainer: StoreOption = "syncContainer"
    /// `"development"` (unless given) or `"production"`.
    public static let syncEnvironment: StoreOption = "syncEnvironment"
    /// The zone in which the records are: `"Backstitch"` unless given. The public database has one zone, and takes
    /// none.
    public static let syncZoneName: StoreOption = "syncZoneName"
    /// The database of the container that the store stands for: `"private"` (unless given), `"shared"` or
    /// `"public"`, see ``SyncDatabase``.
    public static let syncDatabase: StoreOption = "syncDatabase"
    /// The name of the subscription to the zone's changes, and the beginning of those of the others. Unless given,
    /// `"Backstitch."` with the zone's name and the database's, so that each zone has its own. A user has one
    /// subscription of a name: of two stores with one name only the last that subscribed is told of changes.
    public static let syncSubscriptionName: StoreOption = "syncSubscriptionName"
    /// The token by which the server knows the program. A secret.
    public static let syncAPIToken: StoreOption = "syncAPIToken"
    /// The token by which the server knows the user. A secret.
    public static let syncWebAuthToken: StoreOption = "syncWebAuthToken"
    /// Where the token is kept that the server gives in place of an older one: a ``SyncCredentialStore``. Unless given,
    /// a file beside the store that only its owner can read; for a store in memory or in a server's database, nowhere.
    public static let syncCredentialStore: StoreOption = "syncCredentialStore"
    /// The file of certificates (PEM) that the server's must be signed by, in place of those that the system trusts:
    /// for a server with a certificate authority of its own. Off Apple's systems it needs the package's trait
    /// AsyncHTTPClient.
    public static let syncTrustRoots: StoreOption = "syncTrustRoots"
    /// `"serverWins"` (unless given) or `"clientWins"`; see ``ConflictResolutionPolicy``.
    public static let syncConflictResolutionPolicy: StoreOption = "syncConflictResolutionPolicy"
    /// Code that decides conflicts, by entity or property: a ``ConflictResolvers``. The policy decides the others.
    public static let syncConflictResolvers: StoreOption = "syncConflictResolvers"
    /// The action to take when another user signs in, or the server has lost the zone: `"keep"` (everything here stays,
    /// and is sent), `"wipe"` (the server's data takes its place), `"stop"`, or a ``SyncResetPolicy`` that asks. See
    /// there for what holds unless given.
    public static let syncResetPolicy: StoreOption = "syncResetPolicy"
    /// Whether a save begins a cycle: true unless given.
    public static let syncOnSave: StoreOption = "syncOnSave"
    /// The authors whose saves are sent: names as of ``Backstitch/ManagedObjectContext/transactionAuthor``. Unless this
    /// or ``syncContextNames`` is given, all saves are; with both, those of a named author or a named context. Batch
    /// requests are judged like saves.
    ///
    /// ```swift
    /// options[.syncAuthors] = ["editor"]
    /// try await container.perform(author: "editor") { … }    // goes to the server
    /// try await container.perform(author: "importer") { … }  // stays on this device
    /// ```
    /// Changes that stay are told by ``SyncController/blockedChanges()``, are merged with others' news of the same
    /// objects like all unsent changes, and go when somebody who is named saves the object too, or by
    /// ``SyncController/retryBlocked(_:)``. A change of an object of which something is unsent already, or on its way,
    /// goes along with that.
    public static let syncAuthors: StoreOption = "syncAuthors"
    /// The contexts whose saves are sent: names as of ``Backstitch/ManagedObjectContext/name``; see ``syncAuthors``.
    public static let syncContextNames: StoreOption = "syncContextNames"
    /// Whether opening the store begins a cycle, and the server's notifications do: true unless given. When false the
    /// store syncs only when ``SyncController/sync(reason:)`` is called.
    public static let syncAutomatically: StoreOption = "syncAutomatically"
    /// Says whether the network may be used now: a ``SyncConnectivity``, ``NetworkMonitor/shared`` for one that goes by
    /// the machine's network. Unless given, the store tries, and finds out.
    public static let syncConnectivity: StoreOption = "syncConnectivity"
    /// Gives the keys of encrypted attributes: an ``EncryptionKeyProvider``. Needed where the model has any.
    public static let syncEncryptionKeys: StoreOption = "syncEncryptionKeys"
    /// Gives the user's key pair, by which the user gets the keys of zones that are shared: a
    /// ``ShareIdentityProvider``. Without it, encrypted attributes of a shared zone need a key that the providers of
    /// all its people know.
    public static let syncShareIdentity: StoreOption = "syncShareIdentity"
    /// Decides whose public keys are trusted: a ``ParticipantKeyTrust``. Unless given, the first one of each user is.
    public static let syncKeyTrust: StoreOption = "syncKeyTrust"
    /// Assets that are downloaded only when asked for: names of attributes with external storage, `"photo"` or
    /// `"Note.photo"`.
    public static let excludedUnchangingAsyncAssetKeys: StoreOption = "excludedUnchangingAsyncAssetKeys"
    /// Bytes of the largest asset that comes by itself; a larger one comes when it is asked for
    /// (``SyncController/downloadAsset(of:key:onProgress:)``), as those of
    /// ``excludedUnchangingAsyncAssetKeys`` do. Unless given, all come by themselves. An attribute of which the model
    /// says more (``Backstitch/PropertyDescription/synced(assets:)``) goes by that.
    public static let syncAutomaticAssetSize: StoreOption = "syncAutomaticAssetSize"
    /// Whether the store only follows its zone: sync brings what others change, nothing is sent, and a save throws
    /// ``BackstitchError/Code/readOnly``. False unless given.
    public static let syncReadOnly: StoreOption = "syncReadOnly"
    /// Seconds between looks at a server that sends no notifications: 30 unless given.
    public static let syncPollInterval: StoreOption = "syncPollInterval"
    /// Seconds until an answer must be there: 30 unless given.
    public static let syncRequestTimeout: StoreOption = "syncRequestTimeout"
    /// Bytes of the largest asset that is taken from the server: 268,435,456 (256 MiB) unless given. A record with a
    /// larger one, or with one of a negative size, is parked (``SyncController/parkedRecords()``).
    public static let syncMaximumAssetSize: StoreOption = "syncMaximumAssetSize"
    /// The hosts, besides the server's own, to which the bytes of assets may be sent and from which they may be read:
    /// `"example.org"`, or `"*.example.org"` for all below it. Unless given, any host that the server names and that is
    /// reached as safely as the server.
    public static let syncAssetHosts: StoreOption = "syncAssetHosts"
}
