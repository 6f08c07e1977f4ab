/// The time, user and device of a record's save.
public struct WireStamp: Sendable, Hashable {
    /// Milliseconds since 1970-01-01 00:00 UTC, by the server's clock.
    public var timestamp: Int64
    /// The user who saved.
    public var userRecordName: String?
    /// The device that saved; ``unnamedDevice`` for clients that have not said.
    public var deviceID: String?

    /// The device ID that stands for a client of this wire that has not named itself.
    public static let unnamedDevice = "2"

    /// The name by which CloudKit may call the user that asks.
    public static let callerName = "__defaultOwner__"

    /// A stamp with all its parts.
    public init(timestamp: Int64, userRecordName: String? = nil, deviceID: String? = nil) {
        self.timestamp = timestamp
        self.userRecordName = userRecordName
        self.deviceID = deviceID
    }
}

extension WireStamp: WireObject {
    static var blank: Self { Self(timestamp: 0) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("timestamp", &timestamp)
        keys.optional("userRecordName", &userRecordName)
        keys.optional("deviceID", &deviceID)
    }
}
