import BackstitchSupport
import CloudWire
import Foundation

/// A push for one device: a request to APNs, without the sender's proof of identity.
struct WakePush: Sendable {
    /// The identity of a push for replacement: of several pushes with one key only the last is sent.
    struct Key: Sendable, Hashable {
        var tenantID: Int64
        var token: WakeToken
        var collapseID: String
    }

    /// Most bytes of a payload for APNs.
    static let largestPayload = 4_096
    /// How long APNs keeps a push for a device that is off, in seconds.
    static let lifetime: Int64 = 86_400

    let device: StoredWakeDevice
    let topic: String
    /// The id of the push. A repeated request is recognised by it.
    let id: String
    /// The id for replacement at APNs: pushes of one subscription replace each other. It has 43 characters.
    let collapseID: String
    /// Whether a person sees or hears something of the push.
    let isVisible: Bool
    let payload: [UInt8]
    /// The time of its making, in milliseconds since 1970.
    let created: Int64

    /// - Parameter database: The database of the change.
    /// - Parameter notification: The message. Its presentation decides about the form.
    init(
        _ notification: PushNotification, to device: StoredWakeDevice, topic: String, in database: DatabaseKey,
        id: String, at now: Int64
    ) throws(WireCodingError) {
        self.device = device
        self.topic = topic
        self.id = id
        created = now
        var subject = SHA256()
        for part in [
            database.tenant, "\(database.scope.rawValue)", database.owner, notification.userRecordName ?? "",
            notification.subscriptionID ?? "",
        ] {
            subject.update(data: Data("\(part.utf8.count):\(part)".utf8))
        }
        collapseID = subject.finalize().base64URL
        var notification = notification
        // A presentation that is too long is left out, and the app is woken instead. If its texts alone are too long,
        // it is not even encoded.
        if let presentation = notification.presentation, presentation.textBytes > Self.largestPayload {
            notification.presentation = nil
        }
        var payload = try notification.wireJSON()
        if payload.count > Self.largestPayload {
            notification.presentation = nil
            payload = try notification.wireJSON()
        }
        isVisible = notification.presentation?.isVisible ?? false
        self.payload = payload
    }

    var key: Key { Key(tenantID: device.tenantID, token: device.token, collapseID: collapseID) }

    /// The headers of the request, without the sender's proof of identity.
    var headers: [(name: String, value: String)] {
        [
            ("apns-topic", topic), ("apns-push-type", isVisible ? "alert" : "background"),
            ("apns-priority", isVisible ? "10" : "5"), ("apns-id", id), ("apns-collapse-id", collapseID),
            ("apns-expiration", "\(created / 1_000 + Self.lifetime)"), ("content-type", "application/json"),
        ]
    }
}

extension WireSubscription.NotificationInfo {
    /// Bytes of the texts to show.
    fileprivate var textBytes: Int {
        [alertBody, alertLocalizationKey].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            + (alertLocalizationArgs ?? []).reduce(0) { $0 + $1.utf8.count }
    }
}
