import BackstitchSupport

/// A link from one record to another in the same zone.
public struct WireReference: Sendable {
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
}

extension WireReference: Hashable {
    /// Whether both name the same record, by the bytes of the name, with the same action.
    public static func == (left: WireReference, right: WireReference) -> Bool {
        left.recordName.isSame(as: right.recordName) && left.zoneID == right.zoneID && left.action == right.action
    }

    /// Feeds the reference to a hasher.
    public func hash(into hasher: inout Hasher) {
        recordName.hashBytes(into: &hasher)
        hasher.combine(zoneID)
        hasher.combine(action)
    }
}

extension WireReference.Action: JSONWord {
    static var noun: String { "reference action" }
}

extension WireReference: WireObject {
    static var blank: Self { Self(recordName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("recordName", &recordName, else: "a reference needs a recordName")
        keys.optional("zoneID", &zoneID)
        keys.value("action", &action)
    }
}
