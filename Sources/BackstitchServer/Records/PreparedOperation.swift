import BackstitchSupport
import CloudWire

/// One operation of `records/modify`, checked and encoded as far as possible without the database. So the zone is
/// locked for a shorter time.
struct PreparedOperation: Sendable {
    /// The place in the request, and so in the answer.
    var index: Int
    var kind: RecordOperation.Kind
    var name: String
    var type: String?
    var tag: String?
    var parent: String?
    /// Whether the record shall lose its parent.
    var clearsParent: Bool
    /// Of a deletion: the zone that has the record's object now.
    var movedTo: String?
    var fields = PreparedFields()
    /// The fields as JSON, if they do not depend on the stored record.
    var encoded: [UInt8]?
    /// Whether the operation declares its record a share. An update of a share must do so, but a deletion need not.
    let isShare: Bool
    /// The part about sharing, if the operation makes or changes a share.
    var share: PreparedShare?
    /// The fault of the operation itself, independent of the zone's content.
    var fault: WireError?

    init(
        _ operation: RecordOperation, index: Int, zone: ZonePlace, caller: DiscoveredUser, _ scope: RequestScope,
        _ receipts: AssetReceipts, _ random: any ServerRandom, at now: Int64
    ) {
        let record = operation.record
        self.index = index
        kind = operation.operationType
        name = record.recordName
        type = record.recordType
        tag = record.recordChangeTag
        (parent, clearsParent) = (record.parent?.recordName, record.clearsParent)
        if kind.isDeletion, scope.extensions, scope.database.scope != .public { movedTo = record.movedTo }
        isShare = RecordRules.isShare(record)
        if name.isEmpty, kind == .create { name = random.uuid() }
        do throws(WireError) {
            try check(record, zone: zone, scope, receipts, at: now)
            if isShare, !kind.isDeletion { share = try PreparedShare(record, caller: caller, random) }
        } catch {
            fault = error
        }
    }

    /// Refuses the operation because the request has a second one for the same record.
    ///
    /// The two operations have no order that client and server would agree on.
    mutating func refuseAsDuplicate() {
        fault = WireError(.badRequest, "record '\(name)' occurs more than once in this request")
    }

    /// Refuses the operation because the disk has no room for it. A fault of its own is reported instead.
    mutating func refuseForFullDisk() { fault = fault ?? .diskIsFull }

    /// Sets the true sizes of assets, and drops the encoded fields.
    mutating func correctAssetSizes(_ sizes: [AssetChecksum: Int64]) {
        fields.correctAssetSizes(sizes)
        encoded = nil
    }

    /// Checks names, type and fields, and encodes the fields if they replace all others.
    private mutating func check(
        _ record: WireRecord, zone: ZonePlace, _ scope: RequestScope, _ receipts: AssetReceipts, at now: Int64
    ) throws(WireError) {
        if let fault = RecordRules.fault(inRecordName: name) { throw WireError(.badRequest, fault) }
        if let movedTo, let fault = RecordRules.fault(inZoneName: movedTo) {
            throw WireError(.badRequest, "movedTo: \(fault)")
        }
        if kind.isDeletion { return }
        if isShare {
            guard type ?? WireShare.recordType == WireShare.recordType else {
                throw WireError(
                    .badRequest,
                    "record '\(name)' of type '\(type ?? "")': the share of a zone is of the type "
                        + "'\(WireShare.recordType)'")
            }
        } else if let type {
            if let fault = RecordRules.fault(inRecordType: type) { throw WireError(.badRequest, fault) }
        } else if kind == .create {
            throw WireError(.badRequest, "record '\(name)' needs a recordType to be created")
        }
        if let parent, let fault = RecordRules.fault(inRecordName: parent) {
            throw WireError(.badRequest, "parent: \(fault)")
        }
        fields = try PreparedFields(record, zone: zone, scope, receipts, at: now)
        if kind.replacesFields, fields.inferred.isEmpty {
            encoded = try RecordFields.encode(fields.values, of: name, limit: scope.limits.record)
        }
    }
}
