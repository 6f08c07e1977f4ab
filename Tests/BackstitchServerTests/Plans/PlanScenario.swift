import BackstitchSQL
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport

@testable import BackstitchServer

/// Has a storage carry out every statement of requests. ``StatementPlanTests`` tells which of the sources' are missing.
struct PlanScenario {
    static let tenant = "iCloud.test/development"

    let transaction: ZoneTransaction
    let owner: StoredOwner
    /// The owner's zone, and another zone for removal of content.
    let zone: StoredZone
    let other: StoredZone

    init(_ transaction: ZoneTransaction) throws {
        self.transaction = transaction
        let key = DatabaseKey(tenant: Self.tenant, scope: .private, owner: "u")
        owner = try transaction.makeOwner(key, epoch: 1)
        _ = try transaction.owner(key)
        let made = try transaction.makeZone(owner, named: "Z", epoch: 1)
        other = try transaction.makeZone(owner, named: "other", epoch: 1)
        zone = try transaction.lock(made)
    }

    static func record(_ name: String, at sequence: Int64 = 1, parent: String? = nil, size: Int = 10) -> StoredRecord {
        StoredRecord(
            name: name, type: "Item", sequence: sequence, deleted: false, flags: [], created: 1, createdBy: "u",
            createdOn: "2", modified: 1, modifiedBy: "u", parent: parent,
            fields: Array("{\"text\":{\"value\":\"\(String(repeating: "x", count: size))\"}}".utf8))
    }

    /// The rest of the scenario. Each step finds the data of earlier ones.
    func run() throws {
        try zones()
        try records()
        try queries()
        try assets()
        try subscriptions()
        try shares()
        try guests()
        try people()
        try credentials()
        try removals()
    }

    private func zones() throws {
        _ = try transaction.zone(owner, named: "Z")
        _ = try transaction.liveZones(owner)
        _ = try transaction.changedZones(owner, after: 0, limit: 10)
        _ = try transaction.zoneCount(owner)
        _ = try transaction.advance(zone)
        _ = try transaction.countCommit()
        try transaction.advanceOwner(of: zone, guests: nil)
        try transaction.update(zone, state: .live, epoch: 1)
        _ = try transaction.usage(tenantID: owner.tenantID, user: "u")
        _ = try transaction.privateDatabases(of: "u")
    }

    private func records() throws {
        let large = Self.record("large", size: 100_000)
        try transaction.insert(
            [Self.record("a"), Self.record("b", parent: "a"), Self.record("c"), large], into: zone)
        try transaction.insert([Self.record("gone")], into: other)
        try transaction.update([Self.record("b", parent: "a")], in: zone)
        _ = try transaction.records(zone, named: ["a", "large"], limit: 1 << 20)
        _ = try transaction.firstRecords(zone, named: ["a", "b"], bytes: 1)
        _ = try transaction.liveNames(zone, among: ["a", "none"])
        // The plan for the first cursor is explained. For 0 it would read from the beginning, without a bound.
        for (cursor, isReverse) in [(Int64(1), false), (0, false), (9, true)] {
            _ = try transaction.page(
                zone,
                FeedQuery(
                    cursor: cursor, limit: 2, bytes: 1 << 20, takesLargeCommit: true, reverse: isReverse))
        }
        _ = try transaction.recordsLeft(zone, after: 1, upTo: 10)
        let reference = StoredReference(source: "b", target: "a", action: .validate)
        try transaction.setReferences(
            zone, from: ["b"], [reference, .init(source: "c", target: "a", action: .deleteSelf)])
        try transaction.setReferences(other, from: [], [reference])
        for demands in [ReferenceDemands.all, .ofMaker] {
            _ = try transaction.references(zone, to: ["a"], demands: demands, limit: 10)
        }
        _ = try transaction.sourceCounts(zone, of: ["a"], upTo: 10)
        _ = try transaction.sourceCounts(zone, of: ["a"], madeBy: "u", upTo: 10)
        try transaction.probeDisk()
        let answer = StoredAnswer(bodyDigest: [1], response: [2], created: 1)
        try transaction.putAnswer(owner, user: "u", key: "k", answer)
        _ = try transaction.answer(owner, user: "u", key: "k")
    }

    private func queries() throws {
        let component = QueryIndex.Component(field: QueryField(known: "tags"), part: .elements)
        var (zone, indexes) = (zone, [StoredQueryIndex]())
        for type in ["Item", "Note", "Old"] {
            var index = try transaction.makeQueryIndex(
                QueryIndex(type: type, components: [component]), in: zone, by: QueryIndexOwner(name: "u"), used: 1)
            index = try transaction.fill(index, of: zone, names: 1, bytes: 1 << 20)
            indexes.append(try transaction.fill(index, of: zone, names: 100, bytes: 1 << 20))
        }
        zone.queryIndexes = 3
        try transaction.drop(indexes[2], of: zone)
        let tags = WireValue.stringList((0..<QueryLimits.parts).map { "t\($0)" })
        let count = QueryLimits.entries / QueryLimits.parts + 1
        let records = try (0..<count).map { number in
            var record = Self.record("tagged \(number)")
            record.fields = try WireRecord.encodeFields(number == 0 ? ["tags": tags] : [:], of: record.name)
            return record
        }
        try transaction.insert(records, into: zone)
        // So many that their possible entries are counted before.
        try transaction.update(records, in: zone)
        try transaction.drop(indexes[1], of: zone)
        try transaction.update(Array(records.prefix(1)), in: zone)
        try transaction.touch(indexes[0], of: zone, used: 2)
        _ = try transaction.queryIndexes(zone)
        for isBackward in [false, true] {
            let (start, end) = isBackward ? ([UInt8](repeating: 255, count: 9), [0] as [UInt8]) : ([0], [255])
            let span = QuerySpan(key: start, name: "", end: end, isBackward: isBackward)
            _ = try transaction.queryEntries(zone, indexes[0], span, limit: 10, bytes: 1 << 20)
        }
    }

    private func assets() throws {
        let asset = AssetChecksum(contentOf: [1]), unused = AssetChecksum(contentOf: [2])
        for checksum in [asset, unused] {
            try transaction.putAsset(
                StoredAsset(tenantID: owner.tenantID, checksum: checksum, size: 1, uploaded: 1))
        }
        let uses = [StoredAssetUse(record: "a", field: "photo", checksum: asset)]
        try transaction.setAssets(zone, of: ["a"], uses)
        try transaction.setAssets(other, of: [], [StoredAssetUse(record: "gone", field: "photo", checksum: asset)])
        _ = try transaction.asset(tenantID: owner.tenantID, checksum: asset)
        _ = try transaction.assetSizes(tenantID: owner.tenantID, of: [asset])
        _ = try transaction.assetSizes(tenantID: owner.tenantID, of: [asset, unused])
        let name = AssetName(tenantID: owner.tenantID, checksum: AssetChecksum(contentOf: [3]))
        let turn = RemovalTurn(server: 1, begun: 1)
        _ = try transaction.putAsset(
            StoredAsset(tenantID: owner.tenantID, checksum: asset, size: 1, uploaded: 1),
            after: try transaction.removals(of: name) ?? 0)
        _ = try transaction.beginRemoval(of: [name], by: turn)
        _ = try transaction.unendedRemovals(for: turn, limit: 10)
        try transaction.endRemoval(of: [name], by: turn)
        _ = try transaction.beginRemoval(of: [name], by: turn)
        _ = try transaction.removeUnusedAssets(uploadedBefore: 2, limit: 10)
    }

    private func removals() throws {
        let piece = RemovalPiece()
        var tombstone = Self.record("tombstone")
        tombstone.deleted = true
        try transaction.insert([tombstone], into: zone)
        _ = try transaction.removeTombstones(deletedBefore: 2, limit: 10)
        _ = try transaction.removeAnswers(createdBefore: 0, piece)
        try transaction.removeOldestAnswers(tenantID: owner.tenantID, user: "nobody", count: 1)
        try transaction.putAnswer(
            owner, user: "v", key: "old", StoredAnswer(bodyDigest: [1], response: [2], created: -1))
        _ = try transaction.removeAnswers(createdBefore: 0, piece)
        for _ in 0..<3 { _ = try transaction.removeQueryIndexes(unusedSince: 1, piece) }
        let emptied = try transaction.emptied(other)
        _ = try transaction.lock(other)
        while try transaction.emptyDeletedZones(piece) {}
        // Its rows are used in place of others'.
        try transaction.insert([tombstone, Self.record("x", parent: "y")], into: emptied)
        try transaction.renewEpochs { 1 }
    }
}
