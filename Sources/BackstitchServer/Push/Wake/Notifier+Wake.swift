import Backstitch
import BackstitchSupport
import CloudWire
import Logging

extension Notifier {
    /// The devices to wake, without the one that made the changes. Reads nothing on a server without APNs.
    ///
    /// - Parameter fired: The fired subscriptions, by user.
    func dueWakes(
        _ fired: [String: [FiredSubscription]], _ owner: StoredOwner, _ scope: RequestScope, _ reading: ZoneSnapshot
    ) throws -> [DueWake] {
        guard server.push.wake?.configuration.topic(of: scope.container) != nil else { return [] }
        let limit = server.configuration.userQuotas.pushTokens, now = server.clock.milliseconds()
        return try fired.flatMap { user, news -> [DueWake] in
            let others = try reading.wakeDevices(tenantID: owner.tenantID, user: user, limit: limit).filter { device in
                device.token.digest != scope.wakeDevice && (device.poll == nil || device.poll != scope.device?.digest)
            }
            // A device is kept for a time after the token of its registration has ended.
            let honoured = try Set(others.map(\.credential)).filter { credential in
                let bearer = Bearer(user: user, credential: credential)
                return try server.users.isConfigured(bearer) || reading.end(of: bearer, at: now) != nil
            }
            let devices = others.filter { honoured.contains($0.credential) }
            if devices.isEmpty { return [] }
            // Of several pushes for one subscription on a device only the last is sent, so no other is made.
            var seen: Set<ByteText> = []
            let last = news.reversed().filter { seen.insert(ByteText($0.subscriptionID)).inserted }
            let known = Dictionary(
                try reading.subscriptions(owner, user: user).map { (ByteText($0.subscriptionID), $0) },
                uniquingKeysWith: { first, _ in first })
            return devices.flatMap { device in
                last.reversed().map { subscription in
                    DueWake(
                        device: device, fired: subscription,
                        info: subscription.info ?? known[ByteText(subscription.subscriptionID)]?.notificationInfo)
                }
            }
        }
    }

    /// Queues the pushes that wake devices.
    ///
    /// - Parameter id: The id of the notification, the same as for waiting devices.
    func post(_ wakes: [DueWake], _ id: String, _ scope: RequestScope) throws {
        guard let wake = server.push.wake, !wakes.isEmpty, let topic = wake.configuration.topic(of: scope.container)
        else { return }
        let now = server.clock.milliseconds()
        // They are made in parts: the queue drops pushes without room, so not all need to be made before.
        for part in wakes.parts(of: 500) {
            wake.post(
                try part.map { due in
                    var notification = notification(of: due.fired, id, scope)
                    var info = due.info
                    if let arguments = due.fired.record?.arguments { info?.alertLocalizationArgs = arguments }
                    notification.presentation = info
                    return try WakePush(
                        notification, to: due.device, topic: topic, in: scope.database,
                        id: server.random.uuid().lowercased(),
                        at: now)
                })
        }
    }
}
