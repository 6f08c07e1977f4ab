/// Body of `zones/modify`.
public struct ZonesModifyRequest: Sendable, Hashable {
    /// An operation on one zone.
    public struct Operation: Sendable, Hashable {
        /// The two things that can be done.
        public enum Kind: String, Sendable, Hashable {
            /// Makes the zone; a zone that exists is no error.
            case create
            /// Deletes the zone with all its records.
            case delete
        }

        /// The kind of operation.
        public var operationType: Kind
        /// The zone.
        public var zoneID: ZoneID

        /// An operation on a zone.
        public init(_ operationType: Kind, _ zoneID: ZoneID) {
            self.operationType = operationType
            self.zoneID = zoneID
        }
    }

    /// The operations, in order.
    public var operations: [Operation]

    /// A request of some operations.
    public init(operations: [Operation]) {
        self.operations = operations
    }
}

extension ZonesModifyRequest.Operation: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("operationType")
        writer.string(operationType.rawValue)
        writer.key("zone")
        writer.beginObject()
        writer.key("zoneID")
        zoneID.write(to: &writer)
        writer.endObject()
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(
        from reader: inout JSONReader
    ) throws(WireCodingError) -> ZonesModifyRequest.Operation {
        var kind: Kind?
        var zoneID: ZoneID?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "operationType": kind = try reader.readOperationType() ?? kind
            case "zone":
                zoneID = try reader.readNull() ? nil : try ZoneID.readBareOrWrapped(from: &reader)
            default: try reader.skip()
            }
        }
        guard let kind else { throw reader.lacksOperationType }
        guard let zoneID else { throw reader.wrongValue("an operation needs a zone") }
        return ZonesModifyRequest.Operation(kind, zoneID)
    }
}

extension ZonesModifyRequest: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.array("operations", operations)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> ZonesModifyRequest {
        ZonesModifyRequest(operations: try reader.readOperations(for: .zonesModify))
    }
}
