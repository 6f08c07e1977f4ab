public import Backstitch
import CloudWire
import Foundation

extension SyncObjects {
    /// Returns the name of an object's record on the server; nil if the server does not have it.
    public func recordName(of id: ObjectID) async throws -> String? {
        try await services.onStore { store in
            let state = try store.readJournal { try $0.recordStates(for: [id.key])[id.key] }
            guard let state, state.changeTag != nil else { return nil }
            return state.foreignName ?? id.key.uuidString
        }
    }

    /// Returns the objects of records with these names. Names without an object here are left out.
    public func ids(forRecordsNamed names: [String]) async throws -> [String: ObjectID] {
        let zones = services.client.names, main = services.settings.zone
        return try await services.onWholeStore { store in
            try store.readJournal { journal in
                var found: [String: ObjectID] = [:]
                let further = try journal.zones().values.sorted().map { zones.place(of: zones.onServer($0)) }
                for zone in [main] + further {
                    let keys = names.map { RecordName.key(of: $0, zone: zone).key }
                    let states = try journal.recordStates(for: keys)
                    for (name, key) in zip(names, keys) where found[name] == nil { found[name] = states[key]?.objectID }
                }
                return found
            }
        }
    }

    /// Returns an object's record as it is on the server now: its version, its owner, and the time and user of its
    /// creation and last change.
    ///
    /// ```swift
    /// if let record = try await sync.objects.record(of: note.objectID), let last = record.modified {
    ///     print("changed on", last.date, "by", last.userRecordName ?? "somebody")
    /// }
    /// ```
    /// - Returns: The record; nil if the server has none.
    /// - Throws: A ``BackstitchError`` when the server cannot be asked.
    public func record(of id: ObjectID) async throws -> SyncedRecord? {
        let zone = try await sync.zones.zone(of: id)
        let known = try await services.onWholeStore { store in
            try store.readJournal { journal in
                (
                    name: try journal.recordStates(for: [id.key])[id.key]?.foreignName ?? id.key.uuidString,
                    zone: try journal.zones(of: [id.key])[id.key] ?? 0
                )
            }
        }
        guard let services = try await services.services(of: known.zone) else { return nil }
        do {
            let found = try await services.client.records(named: [known.name], fields: []).first ?? nil
            return found.map { SyncedRecord($0, zone: zone) }
        } catch let failure as SyncFailure where failure.kind == .zoneNotFound {
            // The zone is not created before the first sync.
            return nil
        } catch let error as CancellationError { throw error } catch { throw SyncFailure(any: error).error }
    }
}

extension SyncedRecord {
    fileprivate init(_ record: WireRecord, zone: SyncZone) {
        recordName = record.recordName
        recordType = record.recordType ?? ""
        self.zone = zone
        ownerRecordName = record.zoneID?.ownerRecordName
        changeTag = record.recordChangeTag
        created = record.created.map(Stamp.init)
        modified = record.modified.map(Stamp.init)
        parent = record.parent?.recordName
        share = record.share?.shareID?.recordName
    }
}

extension SyncedRecord.Stamp {
    fileprivate init(_ stamp: WireStamp) {
        self.init(
            date: Date(milliseconds: stamp.timestamp), userRecordName: stamp.userRecordName,
            deviceID: stamp.deviceID == WireStamp.unnamedDevice ? nil : stamp.deviceID)
    }
}
