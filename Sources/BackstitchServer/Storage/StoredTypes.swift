import BackstitchSupport
import CloudWire

/// One of the three databases of a container.
enum DatabaseScope: Int, Sendable, Hashable {
    case `public` = 1
    case `private` = 2
    case shared = 3

    /// The last part of a path before the operation.
    init?(path: some StringProtocol) {
        switch path {
        case "public": self = .public
        case "private": self = .private
        case "shared": self = .shared
        default: return nil
        }
    }

    /// How error texts of the wire call it.
    var wireName: String {
        switch self {
        case .public: "publicdb"
        case .private: "privatedb"
        case .shared: "shareddb"
        }
    }
}

/// The database of one owner in one tenant (a container and environment). All keys of the storage start with it.
struct DatabaseKey: Sendable, Hashable {
    /// The owner of the public database, as CloudKit names it.
    static let publicOwner = "_defaultOwner"

    var tenant: String
    var scope: DatabaseScope
    var owner: String
}

/// A row of the table of owners: the counter of `changes/database`.
struct StoredOwner: Sendable, Hashable {
    var tenantID: Int64
    var ownerID: Int64
    /// Counts commits that changed any custom zone.
    var head: Int64
    /// Another value after a restore makes all older tokens invalid.
    var epoch: Int64
}

/// A row of the table of zones.
struct StoredZone: Sendable, Hashable {
    enum State: Int, Sendable {
        case live = 0
        case deleted = 1
        case purged = 2
    }

    var tenantID: Int64
    var ownerID: Int64
    var zoneID: Int64
    var name: String
    /// Another value after deletion and recreation, or a restore, makes all older tokens invalid.
    var epoch: Int64
    /// Sequence of the last commit. Goes on when a zone is made again, so that change tags never repeat.
    var head: Int64
    /// The owner's counter at the last change.
    var ownerSequence: Int64
    var state: State
    /// The newest deletion that is forgotten: who has read less far may have missed it. 0 when none is.
    var floor: Int64 = 0
    /// The number of the newest index for queries; 0 when there was none.
    var queryIndexes: Int64 = 0
    /// Whether the zone is shared, which a commit must look after.
    var sharing: Sharing = []
    /// The rights of the caller to a zone of another user; nil for the owner.
    var access: SharedAccess?
}

/// A row of the table of records.
struct StoredRecord: Sendable, Hashable {
    struct Flags: OptionSet, Sendable, Hashable {
        let rawValue: Int64
        /// Some field is an asset, so that answers need addresses put in.
        static let assets = Flags(rawValue: 1)
        /// Some field is a reference with an action, so that the table of references has rows.
        static let references = Flags(rawValue: 2)
        /// The record is the root of a share.
        static let root = Flags(rawValue: 4)
    }

    var name: String
    var type: String?
    /// Sequence of the commit that wrote this version.
    var sequence: Int64
    /// The storage's history in which it was written; 0 before there were any.
    var history: Int64 = 0
    var deleted: Bool
    var flags: Flags
    var created: Int64
    var createdBy: String
    /// The device that made it, as it has named itself.
    var createdOn: String
    var modified: Int64
    var modifiedBy: String
    var parent: String?
    /// The `fields` object as JSON, made by this server.
    var fields: [UInt8]

    /// The change tag of this version.
    var changeTag: String { ChangeTag(history: history, sequence: sequence).text }
}

/// A page of a zone's feed, read with the zone's head from one snapshot.
struct StoredPage: Sendable {
    var zone: StoredZone
    var records: [StoredRecord]
    var moreComing: Bool
    /// The point in the feed that the page has reached, where that is not the sequence of its last record.
    var reached: Int64?
    /// The shares whose records, or roots, are among them.
    var shares: [StoredShare] = []
}

/// A reference that has consequences when its target goes.
struct StoredReference: Sendable, Hashable {
    var source: String
    var target: String
    var action: WireReference.Action
}

/// The references with VALIDATE that forbid a deletion.
enum ReferenceDemands: Sendable {
    case all
    /// Those from records of the user who made the target.
    case ofMaker
}

/// The answer to a request with an idempotency key.
struct StoredAnswer: Sendable {
    var bodyDigest: [UInt8]
    var response: [UInt8]
    var created: Int64
}

/// A user's usage of a container's environment, as it is counted.
struct StoredUsage: Sendable, Hashable {
    /// Live records that the user has made.
    var records = 0
    /// Bytes of these records, of deletions that are remembered, and of assets.
    var bytes = 0
    /// Answers that are kept for idempotency keys.
    var answers = 0
    /// Bytes of these answers.
    var answerBytes = 0
}

/// A subscription of a user.
struct StoredSubscription: Sendable, Hashable {
    var user: String
    var subscription: WireSubscription
}

/// The subscriptions that a commit concerns.
struct ConcernedSubscriptions: Sendable {
    /// Those of zones and databases, all of which fire.
    var fired: [FiredSubscription] = []
    /// Those of queries, of which it must be found out.
    var queries: [StoredSubscription] = []
}

/// A subscription that fires for a commit.
struct FiredSubscription: Sendable, Hashable {
    var user: String
    var subscriptionID: String
    /// Its zone; nil for a subscription to the whole database.
    var zone: String?
    /// The news, of a query subscription.
    var record: RecordFiring?
    /// Its place among the firings of its subscription at all servers, from 1; nil where that is not counted.
    var ordinal: Int64?
    /// How a query subscription shows itself, which may have ended by firing.
    var info: WireSubscription.NotificationInfo?
}

/// A subscription of a device, with what it was told last.
struct StoredHint: Sendable {
    var subscription: WireSubscription
    /// The number of the kind of database, as notifications have it.
    var scope: Int
    /// Of a query subscription, what it was told last of all.
    var last: RecordFiring?
}

/// A push token.
struct StoredPushToken: Sendable, Hashable {
    var key: PushTokenKey
    var tenant: String
    var user: String
    /// The token or key by which it was made; see ``Bearer/credential``.
    var credential = ""
    /// The name under which it was made; nil where none was given.
    var client: String?

    /// The token or key with which it ends.
    var bearer: Bearer { Bearer(user: user, credential: credential) }
}

/// A push token, and how far the subscriptions of its user have come.
struct StoredWatch: Sendable {
    /// Names a user of a tenant.
    struct Holder: Sendable, Hashable {
        var tenantID: Int64
        var user: ByteText

        init(tenantID: Int64, user: ByteText) {
            self.tenantID = tenantID
            self.user = user
        }

        /// The holder of a token.
        init(_ token: StoredPushToken) { self.init(tenantID: token.key.tenantID, user: ByteText(token.user)) }
    }

    /// Names a subscription of a user.
    struct Key: Sendable, Hashable {
        var ownerID: Int64
        var id: String
    }

    /// Another value after each change for which a subscription fires.
    struct Head: Sendable, Hashable {
        /// The counter of a whole database; 0 for a subscription to a zone.
        var database: Int64
        var zone: Int64
        var epoch: Int64
        /// Nil for a subscription to the whole database, or to a query.
        var zoneName: String?
        /// How often a query subscription has fired; nil for others.
        var firings: Int64?
        /// The number of the kind of database.
        var scope = DatabaseScope.private.rawValue
    }

    var token: StoredPushToken
    var heads: [Key: Head] = [:]
}

/// Names a push token without giving it away.
struct PushTokenKey: Sendable, Hashable {
    var tenantID: Int64
    var digest: TokenDigest
}

/// An asset's content.
struct StoredAsset: Sendable, Hashable {
    var tenantID: Int64
    var checksum: AssetChecksum
    var size: Int64
    var uploaded: Int64
}

/// An asset that a record uses.
struct StoredAssetUse: Sendable, Hashable {
    var record: String
    var field: String
    var checksum: AssetChecksum
}

extension StoredZone {
    /// Names the life of the zone, for clients: the upper half of the epoch, which only making the zone anew changes.
    var incarnation: String { String(UInt32(truncatingIfNeeded: epoch >> 32), radix: 16) }
}
