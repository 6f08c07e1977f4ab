/// A link from one record to another in the same zone.
public struct WireReference: Sendable, Hashable, WireCodable {
    /// The server's treatment of the source when the target is deleted, or of the target while a source stays.
    public enum Action: String, Sendable, Hashable {
        /// The target need not exist.
        case none = "NONE"
        /// Deleting the target deletes the source.
        case deleteSelf = "DELETE_SELF"
        /// The target must exist, and cannot be deleted while the link stays.
        case validate = "VALIDATE"
    }

    /// Name of the target record.
    public var recordName: String
    /// Zone of the target; nil means the zone of the source.
    public var zoneID: ZoneID?
    /// The effect of deleting the target.
    public var action: Action

    /// A link to a record.
    public init(recordName: String, zoneID: ZoneID? = nil, action: Action = .none) {
        self.recordName = recordName
        self.zoneID = zoneID
        self.action = action
    }

    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("recordName")
        writer.string(recordName)
        writer.optional("zoneID", zoneID)
        writer.key("action")
        writer.string(action.rawValue)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> WireReference {
        var name: String?
        var zoneID: ZoneID?
        var action = Action.none
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "recordName": name = try reader.readStringOrNull()
            case "zoneID": zoneID = try reader.readOrNull(ZoneID.self)
            case "action":
                guard let text = try reader.readStringOrNull() else { continue }
                guard let known = Action(rawValue: text) else {
                    throw reader.wrongValue("unknown reference action '\(text)'")
                }
                action = known
            default: try reader.skip()
            }
        }
        guard let name else { throw reader.wrongValue("a reference needs a recordName") }
        return WireReference(recordName: name, zoneID: zoneID, action: action)
    }
}
