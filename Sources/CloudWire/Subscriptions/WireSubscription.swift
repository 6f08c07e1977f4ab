/// A request for notifications about changes.
package struct WireSubscription: Sendable, Hashable {
    /// The kinds of objects that a subscription can watch.
    package enum Kind: String, Sendable, Hashable {
        /// Watches the changes of one zone.
        case zone
        /// Watches the changes of all custom zones of the database.
        case database
        /// Watches the changes of records that match a query.
        case query
    }

    /// The kinds of changes of a record.
    package enum Change: String, Sendable, Hashable, CaseIterable {
        /// The record was created.
        case create
        /// An existing record has other values.
        case update
        /// The record was deleted.
        case delete
    }

    /// The presentation of a notification on a device.
    package struct NotificationInfo: Sendable, Hashable {
        /// Whether it wakes the app in the background.
        package var shouldSendContentAvailable: Bool?
        /// Whether it changes the app's badge.
        package var shouldBadge: Bool?
        /// The text to show, for all languages.
        package var alertBody: String?
        /// The key of a text in the app's own language, in place of ``alertBody``.
        package var alertLocalizationKey: String?
        /// The values for that text. A query subscription gives names of fields, any other subscription gives texts.
        package var alertLocalizationArgs: [String]?
        /// The key of the button's text.
        package var alertActionLocalizationKey: String?
        /// The image to show while the app starts.
        package var alertLaunchImage: String?
        /// The name of the sound to play.
        package var soundName: String?
        /// The category of the alert, as the app has registered it.
        package var category: String?
        /// The names of fields whose values the notification must have.
        package var additionalFields: [String]?

        /// Whether a person sees or hears something, and not only the app.
        package var isVisible: Bool {
            alertBody != nil || alertLocalizationKey != nil || soundName != nil || shouldBadge == true
        }

        /// Creates a silent notification, unless further parts are set.
        package init(shouldSendContentAvailable: Bool? = true) {
            self.shouldSendContentAvailable = shouldSendContentAvailable
        }
    }

    /// The name of the subscription, unique for its user.
    package var subscriptionID: String
    /// The kind of the watched objects.
    package var subscriptionType: Kind
    /// The zone of a zone subscription. For a query subscription it is the zone of the query. Nil then means the
    /// default zone, or all zones with ``zoneWide``.
    package var zoneID: ZoneID?
    /// Whether a query subscription watches all zones. A ``zoneID`` has precedence.
    package var zoneWide: Bool?
    /// The query of a query subscription. Its order has no effect.
    package var query: RecordQuery?
    /// The changes for which a query subscription fires; nil means all changes.
    package var firesOn: [Change]?
    /// Whether a query subscription ends after it has fired once.
    package var firesOnce: Bool?
    /// The presentation of a notification.
    package var notificationInfo: NotificationInfo?

    /// Creates a subscription to a zone or a database.
    package init(
        subscriptionID: String, subscriptionType: Kind, zoneID: ZoneID? = nil,
        notificationInfo: NotificationInfo? = nil
    ) {
        self.subscriptionID = subscriptionID
        self.subscriptionType = subscriptionType
        self.zoneID = zoneID
        self.notificationInfo = notificationInfo
    }

    /// Creates a subscription to the records that match a query.
    package init(
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
