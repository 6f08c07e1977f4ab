/// A wish to be told about changes.
public struct WireSubscription: Sendable, Hashable {
    /// The things that a subscription can watch.
    public enum Kind: String, Sendable, Hashable {
        /// Changes of one zone.
        case zone
        /// Changes of any custom zone of the database.
        case database
        /// Changes of records for which a query holds.
        case query
    }

    /// The things that can happen to a record.
    public enum Change: String, Sendable, Hashable, CaseIterable {
        /// The record was made.
        case create
        /// The record was there, and has other values.
        case update
        /// The record is gone.
        case delete
    }

    /// How a notification shows itself.
    public struct NotificationInfo: Sendable, Hashable {
        /// Wakes the app in the background.
        public var shouldSendContentAvailable: Bool?
        /// Changes the app's badge.
        public var shouldBadge: Bool?
        /// Text to show.
        public var alertBody: String?
        /// The key of a text in the app's own language; it stands for ``alertBody``.
        public var alertLocalizationKey: String?
        /// Names of fields whose values are put into that text, of a query subscription; of another one, the texts.
        public var alertLocalizationArgs: [String]?
        /// The key of the text of the button.
        public var alertActionLocalizationKey: String?
        /// Image to show while the app starts.
        public var alertLaunchImage: String?
        /// Sound to play.
        public var soundName: String?
        /// Category of the alert.
        public var category: String?
        /// Names of fields whose values the notification shall have.
        public var additionalFields: [String]?

        /// Whether a person sees or hears something, and not the app alone.
        package var isVisible: Bool {
            alertBody != nil || alertLocalizationKey != nil || soundName != nil || shouldBadge == true
        }

        /// A silent notification, unless more is set.
        public init(shouldSendContentAvailable: Bool? = true) {
            self.shouldSendContentAvailable = shouldSendContentAvailable
        }
    }

    /// Name of the subscription, unique for its user.
    public var subscriptionID: String
    /// The kind of thing that it watches.
    public var subscriptionType: Kind
    /// The zone, of a zone subscription; of a query subscription the zone that it looks at, nil for the default zone
    /// or, with ``zoneWide``, for all.
    public var zoneID: ZoneID?
    /// Whether a query subscription looks at all zones. A ``zoneID`` is stronger.
    public var zoneWide: Bool?
    /// The query, of a query subscription; its order means nothing.
    public var query: RecordQuery?
    /// The changes for which a query subscription fires; nil asks the server for all.
    public var firesOn: [Change]?
    /// Whether a query subscription ends when it has fired.
    public var firesOnce: Bool?
    /// How a notification shows itself.
    public var notificationInfo: NotificationInfo?

    /// A subscription with all its parts.
    public init(
        subscriptionID: String, subscriptionType: Kind, zoneID: ZoneID? = nil,
        notificationInfo: NotificationInfo? = nil
    ) {
        self.subscriptionID = subscriptionID
        self.subscriptionType = subscriptionType
        self.zoneID = zoneID
        self.notificationInfo = notificationInfo
    }

    /// A subscription to records for which a query holds.
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
    /// The keys of a subscription, of which an item that is none needs the ID alone.
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
