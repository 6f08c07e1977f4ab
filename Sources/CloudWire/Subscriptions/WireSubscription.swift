/// A request for notifications about changes.
public struct WireSubscription: Sendable, Hashable {
    /// The kinds of objects that a subscription can watch.
    public enum Kind: String, Sendable, Hashable {
        /// Watches the changes of one zone.
        case zone
        /// Watches the changes of all custom zones of the database.
        case database
        /// Watches the changes of records that match a query.
        case query
    }

    /// The kinds of changes of a record.
    public enum Change: String, Sendable, Hashable, CaseIterable {
        /// The record was created.
        case create
        /// An existing record has other values.
        case update
        /// The record was deleted.
        case delete
    }

    /// The presentation of a notification on a device.
    public struct NotificationInfo: Sendable, Hashable {
        /// Whether it wakes the app in the background.
        public var shouldSendContentAvailable: Bool?
        /// Whether it changes the app's badge.
        public var shouldBadge: Bool?
        /// The text to show, for all languages.
        public var alertBody: String?
        /// The key of a text in the app's own language, in place of ``alertBody``.
        public var alertLocalizationKey: String?
        /// The values for that text. A query subscription gives names of fields, any other subscription gives texts.
        public var alertLocalizationArgs: [String]?
        /// The key of the button's text.
        public var alertActionLocalizationKey: String?
        /// The image to show while the app starts.
        public var alertLaunchImage: String?
        /// The name of the sound to play.
        public var soundName: String?
        /// The category of the alert, as the app has registered it.
        public var category: String?
        /// The names of fields whose values the notification must have.
        public var additionalFields: [String]?

        /// Whether a person sees or hears something, and not only the app.
        package var isVisible: Bool {
            alertBody != nil || alertLocalizationKey != nil || soundName != nil || shouldBadge == true
        }

        /// Creates a silent notification, unless further parts are set.
        public init(shouldSendContentAvailable: Bool? = true) {
            self.shouldSendContentAvailable = shouldSendContentAvailable
        }
    }

    /// The name of the subscription, unique for its user.
    public var subscriptionID: String
    /// The kind of the watched objects.
    public var subscriptionType: Kind
    /// The zone of a zone subscription. For a query subscription it is the zone of the query. Nil then means the
    /// default zone, or all zones with ``zoneWide``.
    public var zoneID: ZoneID?
    /// Whether a query subscription watches all zones. A ``zoneID`` has precedence.
    public var zoneWide: Bool?
    /// The query of a query subscription. Its order has no effect.
    public var query: RecordQuery?
    /// The changes for which a query subscription fires; nil means all changes.
    public var firesOn: [Change]?
    /// Whether a query subscription ends after it has fired once.
    public var firesOnce: Bool?
    /// The presentation of a notification.
    public var notificationInfo: NotificationInfo?

    /// Creates a subscription to a zone or a database.
    public init(
        subscriptionID: String, subscriptionType: Kind, zoneID: ZoneID? = nil,
        notificationInfo: NotificationInfo? = nil
    ) {
        self.subscriptionID = subscriptionID
        self.subscriptionType = subscriptionType
        self.zoneID = zoneID
        self.notificationInfo = notificationInfo
    }

    /// Creates a subscription to the records that match a query.
    public init(
        subscriptionID: String, query: RecordQuery, zoneID: ZoneID? = nil, zoneWide: Bool? = nil,
        firesOn: [Change]? = nil, firesOnce: Bool? = nil, notificationInfo: NotificationInfo? = nil
    ) {
        self.init(
            subscriptionID: subscriptionID, subscriptionType: .query, zoneID: zoneID, notificationInfo: notificationInfo
        )
        self.zoneWide = zoneWide
        self.query = query
        self.firesOn = firesOn
        self.firesOnce = firesOnce
    }
}

extension WireSubscription.NotificationInfo: WireObject {
    static var blank: Self { Self(shouldSendContentAvailable: nil) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("shouldSendContentAvailable", &shouldSendContentAvailable)
        keys.optional("shouldBadge", &shouldBadge)
        keys.text("alertBody", &alertBody, most: 4_096)
        keys.optional("alertLocalizationKey", &alertLocalizationKey)
        keys.optional("alertLocalizationArgs", &alertLocalizationArgs)
        keys.optional("alertActionLocalizationKey", &alertActionLocalizationKey)
        keys.optional("alertLaunchImage", &alertLaunchImage)
        keys.optional("soundName", &soundName)
        keys.optional("category", &category)
        keys.optional("additionalFields", &additionalFields)
    }
}

extension WireSubscription.Kind: JSONWord {
    static var noun: String { "subscriptionType" }
}

extension WireSubscription.Change: JSONWord {
    static var noun: String { "firesOn" }
}

extension WireSubscription: WireDrafted {
    /// The keys of a subscription. An error or a deletion has only the ID.
    struct Draft: WireObject {
        var subscriptionID: String?
        var subscriptionType: Kind?
        var zoneID: ZoneID?
        var zoneWide: Bool?
        var query: RecordQuery?
        var firesOn: [Change]?
        var firesOnce: Bool?
        var notificationInfo: NotificationInfo?

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.optional("subscriptionID", &subscriptionID)
            keys.optional("subscriptionType", &subscriptionType)
            keys.optional("zoneID", &zoneID)
            keys.optional("zoneWide", &zoneWide)
            keys.optional("query", &query)
            keys.optional("firesOn", &firesOn)
            keys.optional("firesOnce", &firesOnce)
            keys.optional("notificationInfo", &notificationInfo)
        }
    }

    var draft: Draft {
        Draft(
            subscriptionID: subscriptionID, subscriptionType: subscriptionType, zoneID: zoneID, zoneWide: zoneWide,
            query: query, firesOn: firesOn, firesOnce: firesOnce, notificationInfo: notificationInfo)
    }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        guard let kind = draft.subscriptionType else {
            throw reader.wrongValue("a subscription needs a subscriptionType")
        }
        self.init(
            subscriptionID: draft.subscriptionID ?? "", subscriptionType: kind, zoneID: draft.zoneID,
            notificationInfo: draft.notificationInfo)
        zoneWide = draft.zoneWide
        query = draft.query
        firesOn = draft.firesOn
        firesOnce = draft.firesOnce
    }
}
