import Backstitch
import BackstitchSupport
import CloudWire
import Logging

extension ZoneService {
    /// `tokens/register` with a token of APNs. From now on, the app on this device is woken when a subscription of the
    /// caller fires while the app does not run.
    ///
    /// - Throws: BAD_REQUEST if the server does not push to the container's app.
    func registerDevice(_ token: WakeToken, _ request: PushToken, _ scope: RequestScope) async throws -> EmptyBody {
        guard wake?.configuration.topic(of: scope.container) != nil else {
            throw WireError(
                .badRequest,
                "this server sends no pushes by APNs for '\(scope.container)'; wait at the webcourierURL of tokens/create"
            )
        }
        guard ["development", "production"].contains(request.apnsEnvironment) else {
            throw WireError(
                .badRequest,
                "unknown apnsEnvironment '\(request.apnsEnvironment.shown(40))'; use development or production")
        }
        let limit = configuration.userQuotas.pushTokens
        try await change(scope) { writing in
            let owner = try makeOwner(scope, writing)
            let device = StoredWakeDevice(
                tenantID: owner.tenantID, token: token, isDevelopment: request.apnsEnvironment == "development",
                poll: scope.device?.digest, registered: clock.milliseconds(), credential: scope.bearer.credential)
            try writing.putWakeDevice(device, user: scope.user)
            try writing.removeWakeDevices(tenantID: owner.tenantID, user: scope.user, beyond: limit)
        }
        return EmptyBody()
    }

    /// The devices to wake, without the one that made the changes. Reads nothing on a server without APNs.
    ///
    /// - Parameter fired: The fired subscriptions, by user.
    func dueWakes(
        _ fired: [String: [FiredSubscription]], _ owner: StoredOwner, _ scope: RequestScope, _ reading: ZoneSnapshot
    ) throws -> [DueWake] {
        guard wake?.configuration.topic(of: scope.container) != nil else { return [] }
        let limit = configuration.userQuotas.pushTokens, now = clock.milliseconds()
        return try fired.flatMap { user, news -> [DueWake] in
            let others = try reading.wakeDevices(tenantID: owner.tenantID, user: user, limit: limit).filter { device in
                device.token.digest != scope.wakeDevice && (device.poll == nil || device.poll != scope.device?.digest)
            }
            // A device is kept for a time after the token of its registration has ended.
            let honoured = try Set(others.map(\.credential)).filter { credential in
                let bearer = Bearer(user: user, credential: credential)
                return try users.isConfigured(bearer) || reading.end(of: bearer, at: now) != nil
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
        guard let wake, !wakes.isEmpty, let topic = wake.configuration.topic(of: scope.container) else { return }
        let now = clock.milliseconds()
        // They are made in parts: the queue drops pushes without room, so not all need to be made before.
        for part in wakes.parts(of: 500) {
            wake.post(
                try part.map { due in
                    var notification = notification(of: due.fired, id, scope)
                    var info = due.info
                    if let arguments = due.fired.record?.arguments { info?.alertLocalizationArgs = arguments }
                    notification.presentation = info
                    return try WakePush(
                        notification, to: due.device, topic: topic, in: scope.database, id: random.uuid().lowercased(),
                        at: now)
                })
        }
    }
}
