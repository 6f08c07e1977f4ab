/// Body of `zones/modify`: makes and deletes zones.
package struct ZonesModifyRequest: Sendable, Hashable {
    /// An operation on one zone.
    package struct Operation: Sendable, Hashable {
        /// The two kinds of operations.
        package enum Kind: String, Sendable, Hashable {
            /// Makes the zone. An existing zone is no error.
            case create
            /// Deletes the zone with all its records.
            case delete
        }

        /// The kind of the operation.
        package var operationType: Kind
        /// The zone to make or delete.
        package var zoneID: ZoneID

        package init(_ operationType: Kind, _ zoneID: ZoneID) {
            self.operationType = operationType
            self.zoneID = zoneID
        }
    }

    /// The operations, in the order of their execution.
    package var operations: [Operation]

    /// Operations that could not be read, by their position in the request. ``operations`` lacks them.
    package var malformed: [Int: MalformedItem<ZoneID>] = [:]

    package init(operations: [Operation]) {
        self.operations = operations
    }
}

extension ZonesModifyRequest.Operation.Kind: JSONWord {
    static var noun: String { "operationType" }
}

extension ZonesModifyRequest.Operation: WireObject {
    static var blank: Self { Self(.create, .blank) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("operationType", &operationType, else: "an operation needs an operationType")
        keys.field("zone", if: true, else: "an operation needs a zone") {
            $0.beginObject()
            $0.key("zoneID")
            zoneID.write(to: &$0)
            $0.endObject()
        } read: { (reader) throws(WireCodingError) in
            if try reader.readNull() { return false }
            zoneID = try ZoneID.readBareOrWrapped(from: &reader)
            return true
        }
    }
}

extension ZonesModifyRequest: WireObject {
    static var blank: Self { Self(operations: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.items(
            "operations", &operations, &malformed, named: [["zone", "zoneID"], ["zone"]],
            else: "zones/modify needs operations")
    }
}
