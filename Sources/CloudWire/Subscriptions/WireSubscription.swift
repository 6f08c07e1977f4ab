/// A wish to be told about changes.
public struct WireSubscription: Sendable, Hashable {
    /// The things that a subscription can watch.
    public enum Kind: String, Sendable, Hashable {
        /// Changes of one zone.
        case zone
        /// Changes of any custom zone of the database.
        case database
        /// Records that match a query; this project's server refuses it so far.
        case query
    }

    /// How a notification shows itself.
    public struct NotificationInfo: Sendable, Hashable {
        /// Wakes the app in the background.
        public var shouldSendContentAvailable: Bool?
        /// Changes the app's badge.
        public var shouldBadge: Bool?
        /// Text to show.
        public var alertBody: String?
        /// Name of a text of the app, in the language of the device, to show instead.
        public var alertLocalizationKey: String?
        /// Texts to be put into it.
        public var alertLocalizationArgs: [String]?
        /// Name of a text of the app for the button that opens it.
        public var alertActionLocalizationKey: String?
        /// Name of an image of the app to be shown while it starts.
        public var alertLaunchImage: String?
        /// Sound to play.
        public var soundName: String?
        /// Category of the alert.
        public var category: String?

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
    /// The zone, of a zone subscription.
    public var zoneID: ZoneID?
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
}

extension WireSubscription.NotificationInfo: WireObject {
    static var blank: Self { Self(shouldSendContentAvailable: nil) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("shouldSendContentAvailable", &shouldSendContentAvailable)
        keys.optional("shouldBadge", &shouldBadge)
        keys.optional("alertBody", &alertBody)
        keys.optional("alertLocalizationKey", &alertLocalizationKey)
        keys.optional("alertLocalizationArgs", &alertLocalizationArgs)
        keys.optional("alertActionLocalizationKey", &alertActionLocalizationKey)
        keys.optional("alertLaunchImage", &alertLaunchImage)
        keys.optional("soundName", &soundName)
        keys.optional("category", &category)
    }
}

extension WireSubscription.Kind: JSONWord {
    static var noun: String { "subscriptionType" }
}

extension WireSubscription: WireDrafted {
    /// The keys of a subscription, of which an item that is none needs the ID alone.
    struct Draft: WireObject {
        var subscriptionID: String?
        var subscriptionType: Kind?
        var zoneID: ZoneID?
        var notificationInfo: NotificationInfo?

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.optional("subscriptionID", &subscriptionID)
            keys.optional("subscriptionType", &subscriptionType)
            keys.optional("zoneID", &zoneID)
            keys.optional("notificationInfo", &notificationInfo)
        }
    }

    var draft: Draft {
        Draft(
            subscriptionID: subscriptionID, subscriptionType: subscriptionType, zoneID: zoneID,
            notificationInfo: notificationInfo)
    }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        guard let kind = draft.subscriptionType else {
            throw reader.wrongValue("a subscription needs a subscriptionType")
        }
        self.init(
            subscriptionID: draft.subscriptionID ?? "", subscriptionType: kind, zoneID: draft.zoneID,
            notificationInfo: draft.notificationInfo)
    }
}
