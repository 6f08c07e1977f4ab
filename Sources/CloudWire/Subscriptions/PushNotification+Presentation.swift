extension PushNotification {
    /// The object `aps`. It tells a device how to show a notification, or to wake the app without showing anything.
    struct Presentation: WireObject {
        /// The object `alert`: the texts and the image of a visible notification.
        struct Alert: WireObject {
            var body: String?
            var localizationKey: String?
            var localizationArgs: [String]?
            var actionLocalizationKey: String?
            var launchImage: String?

            static var blank: Self { Self() }

            mutating func code(_ keys: inout some KeyCoder) {
                keys.text("body", &body, most: nil)
                keys.optional("loc-key", &localizationKey)
                keys.optional("loc-args", &localizationArgs)
                keys.optional("action-loc-key", &actionLocalizationKey)
                keys.optional("launch-image", &launchImage)
            }
        }

        var alert: Alert?
        var sound: String?
        var badge: Int?
        var category: String?
        var contentAvailable: Int? = 1

        static var blank: Self { Self() }

        init() {}

        /// Creates the presentation of a subscription.
        ///
        /// - Parameter info: The presentation in the subscription. Nil gives a silent notification, and so does one
        ///   without anything to see or hear.
        init(_ info: WireSubscription.NotificationInfo?) {
            guard let info, info.isVisible else { return }
            if info.alertBody != nil || info.alertLocalizationKey != nil {
                alert = Alert(
                    body: info.alertBody, localizationKey: info.alertLocalizationKey,
                    localizationArgs: info.alertLocalizationArgs,
                    actionLocalizationKey: info.alertActionLocalizationKey, launchImage: info.alertLaunchImage)
            }
            sound = info.soundName
            // The server does not count the notifications that a device has seen.
            badge = info.shouldBadge == true ? 1 : nil
            category = info.category
            contentAvailable = info.shouldSendContentAvailable == true ? 1 : nil
        }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.optional("alert", &alert)
            keys.optional("sound", &sound)
            keys.optional("badge", &badge)
            keys.optional("category", &category)
            keys.optional("content-available", &contentAvailable)
        }
    }
}
