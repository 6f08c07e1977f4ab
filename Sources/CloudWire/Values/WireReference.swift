import BackstitchSupport

/// A link from one record to another in the same zone.
package struct WireReference: Sendable {
    /// The effect of a link on deletions: of its source together with the target, or of the target itself.
    package enum Action: String, Sendable, Hashable {
        /// The target need not exist.
        case none = "NONE"
        /// The deletion of the target also deletes the source.
        case deleteSelf = "DELETE_SELF"
        /// The target must exist, and cannot be deleted as long as the link exists.
        case validate = "VALIDATE"
    }

    /// The name of the target record.
    package var recordName: String
    /// The zone of the target; nil means the zone of the source.
    package var zoneID: ZoneID?
    /// The effect of a deletion of the target.
    package var action: Action

    package init(recordName: String, zoneID: ZoneID? = nil, action: Action = .none) {
        self.recordName = recordName
        self.zoneID = zoneID
        self.action = action
    }
}

extension WireReference: Hashable {
    /// Compares the bytes of the names, the zones and the actions.
    package static func == (left: WireReference, right: WireReference) -> Bool {
        left.recordName.isSame(as: right.recordName) && left.zoneID == right.zoneID && left.action == right.action
    }

    /// Hashes the parts that equality compares.
    package func hash(into hasher: inout Hasher) {
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
