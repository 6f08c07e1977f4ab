import CloudWire
import TestSupport

@testable import BackstitchServer

// Alice's zone with shared records. Her list has items, one of which has a part. Beside it there is a diary.
extension SharedPlace {
    /// Runs `body` with a hierarchy: list > milk > fat, list > bread, and a diary with a page.
    static func withHierarchy(
        on kind: StorageKind, _ change: @escaping (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (SharedPlace) async throws -> Void
    ) async throws {
        try await with(
            on: kind,
            {
                $0.users.append(.init(userRecordName: "_erin", webAuthToken: strong("erin")))
                change(&$0)
            }
        ) { place in
            for (name, parent) in [
                ("milk", "list"), ("fat", "milk"), ("bread", "list"), ("diary", nil), ("page", "diary"),
            ] {
                _ = try await place.alice.modify([item(name, in: parent)])[0].record()
            }
            try await body(place)
        }
    }

    /// An operation on a record below another one.
    static func item(
        _ name: String, in parent: String?, as kind: RecordOperation.Kind = .create, title: String? = nil
    ) -> RecordOperation {
        RecordOperation(
            kind,
            WireRecord(
                recordName: name, recordType: "Item", fields: ["title": .string(title ?? name)],
                parent: parent.map { WireReference(recordName: $0) }))
    }

    /// An operation on the share of a record.
    static func share(
        _ name: String, of root: String?, as kind: RecordOperation.Kind = .create, everybody: SharePermission? = nil,
        _ participants: [WireParticipant]? = nil
    ) -> RecordOperation {
        var record = WireRecord(
            recordName: name, recordType: WireShare.recordType, fields: ["cloudkit.title": .string("Share \(name)")])
        var share = WireShare()
        share.forRecord = root.map { WireShare.RecordID(recordName: $0) }
        share.publicPermission = everybody
        share.participants = participants
        record.share = share
        return RecordOperation(kind, record)
    }

    /// Shares a record and gives what names the share.
    @discardableResult
    func shareRecord(
        _ root: String, as name: String? = nil, everybody: SharePermission? = nil,
        _ participants: [WireParticipant] = []
    ) async throws -> String {
        let saved = try await alice.modify([
            Self.share(name ?? "share of \(root)", of: root, everybody: everybody, participants)
        ])
        guard let guid = try saved[0].record().share?.shortGUID else { throw TestFailure("no address: \(saved)") }
        return guid
    }
}

extension SharedPlace.Guest {
    /// A device's content after reading from a token on: the names of records and of deletions.
    func news(_ token: String? = nil) async throws -> (records: Set<String>, deleted: Set<String>, token: String?) {
        var records: Set<String> = [], deleted: Set<String> = [], token = token
        while true {
            let page = try await page(token)
            for record in page.records {
                if record.deleted {
                    records.remove(record.recordName)
                    deleted.insert(record.recordName)
                } else {
                    deleted.remove(record.recordName)
                    records.insert(record.recordName)
                }
            }
            token = page.syncToken
            if !page.moreComing { return (records, deleted, token) }
        }
    }

    /// Those of the names under which the guest finds a record.
    func found(_ names: [String]) async throws -> Set<String> {
        Set(zip(names, try await lookup(names)).filter { $0.1.error == nil }.map(\.0))
    }
}
