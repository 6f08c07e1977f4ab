/// The time, user and device of a record's save.
public struct WireStamp: Sendable, Hashable, WireCodable {
    /// Milliseconds since 1970-01-01 00:00 UTC, by the server's clock.
    public var timestamp: Int64
    /// The user who saved.
    public var userRecordName: String?
    /// The device that saved; ``unnamedDevice`` for clients that have not said.
    public var deviceID: String?

    /// The device ID that stands for a client of this wire that has not named itself.
    public static let unnamedDevice = "2"

    /// A stamp with all its parts.
    public init(timestamp: Int64, userRecordName: String? = nil, deviceID: String? = nil) {
        self.timestamp = timestamp
        self.userRecordName = userRecordName
        self.deviceID = deviceID
    }

    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("timestamp")
        writer.int(timestamp)
        writer.optionalString("userRecordName", userRecordName)
        writer.optionalString("deviceID", deviceID)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> WireStamp {
        var stamp = WireStamp(timestamp: 0)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "timestamp": stamp.timestamp = try reader.readNull() ? 0 : try reader.readInt64()
            case "userRecordName": stamp.userRecordName = try reader.readStringOrNull()
            case "deviceID": stamp.deviceID = try reader.readStringOrNull()
            default: try reader.skip()
            }
        }
        return stamp
    }
}
