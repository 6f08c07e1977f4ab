import CloudWire
import Foundation
import NIOHTTP1
import TestSupport

@testable import BackstitchServer

extension Attack {
    /// A share with very many records below its root, and a guest of it.
    struct WideShare: Sendable {
        static let zone = ZoneID(zoneName: "Wide")
        let count: Int
        let shortGUID: String
        /// The zone as its guests name it.
        let seen: ZoneID

        init(_ client: TestClient, guest: TestClient, count: Int) async throws {
            self.count = count
            seen = try await client.makeZone("Wide").zoneID
            try await client.modify([create("root"), create("film")], zone: "Wide")
            let film = try AssetUploadReceipt(wireJSON: try await client.upload([2]).body).singleFile
            let child = Self.child("film", ["file": .asset(film)])
            try await client.modify([child], zone: "Wide")
            let share = SharedPlace.share("wide", of: "root", everybody: .readWrite)
            guard let guid = try await client.modify([share], zone: "Wide")[0].record().share?.shortGUID else {
                throw TestFailure("no share")
            }
            shortGUID = guid
            // The records come after the share, as a request does not bring so many into one.
            for start in stride(from: 0, to: count, by: 1_000) {
                let part = (start..<start + 1_000).map { Self.child("w\($0)", ["n": .int64(0)]) }
                try await client.modify(part, zone: "Wide", desiredKeys: [])
            }
            try await accept(guest)
        }

        func accept(_ guest: TestClient) async throws {
            let body = String(
                decoding: try ShareGUIDsRequest(shortGUIDs: [ShortGUID(shortGUID)]).wireJSON(), as: UTF8.self)
            _ = try await guest.on("public").raw(.recordsAccept, body)
        }

        static func child(_ name: String, _ fields: [String: WireValue?]) -> RecordOperation {
            RecordOperation(
                .forceUpdate,
                WireRecord(
                    recordName: name, recordType: "Item", fields: fields, parent: WireReference(recordName: "root")))
        }
    }

    static let kindsOfShares = 4

    /// Requests about wide shares, names that come again, and references to what others have.
    mutating func strikeShare(_ kind: Int) async throws {
        switch kind {
        case 0: try await pushWideShare()
        case 1: try await comeAndGo()
        case 2: try await repeatName()
        default: try await referToOthers()
        }
    }

    /// Two thousand changes below a shared root, and a guest who reads from the beginning.
    private mutating func pushWideShare() async throws {
        guard let wide = prey.wide else { return }
        let start = random.below(wide.count), value = WireValue.int64(Int64(random.below(1_000)))
        let changes = (0..<2_000).map { WideShare.child("w\((start + $0) % wide.count)", ["n": value]) }
        try await modify(Array(changes.prefix(wide.count)), zone: "Wide")
        let zone = ZoneChangesRequest.Zone(zoneID: wide.seen)
        let body = String(decoding: try ZoneChangesRequest(zones: [zone]).wireJSON(), as: UTF8.self)
        _ = try await guest.on("shared").raw(.changesZone, body)
    }

    /// A guest takes a receipt for shared content, leaves, uses the receipt, and comes again.
    private func comeAndGo() async throws {
        guard let wide = prey.wide else { return }
        let shared = guest.on("shared")
        let lookup = RecordsLookupRequest(zoneID: wide.seen, records: [.init(recordName: "film")])
        let found = try await shared.raw(.recordsLookup, String(decoding: try lookup.wireJSON(), as: UTF8.self))
        var record: WireRecord?
        if found.status == 200 { record = try RecordsResponse(wireJSON: found.body).records.first?.record() }
        if let checksum = record?.value("file")?.assets.first?.fileChecksum {
            let source = AssetRereferenceRequest.Source(recordName: "film", fieldName: "file", fileChecksum: checksum)
            let request = AssetRereferenceRequest(zoneID: wide.seen, assets: [source])
            _ = try await shared.raw(.assetsRereference, String(decoding: try request.wireJSON(), as: UTF8.self))
        }
        let leave = ZonesModifyRequest(operations: [.init(.delete, wide.seen)])
        _ = try await shared.raw(.zonesModify, String(decoding: try leave.wireJSON(), as: UTF8.self))
        try await wide.accept(guest)
    }

    /// A thousand times the same zone.
    private func repeatName() async throws {
        let operations = (0..<1_000).map {
            ZonesModifyRequest.Operation($0 % 2 == 0 ? .create : .delete, ZoneID(zoneName: "again"))
        }
        try await post(.zonesModify, ZonesModifyRequest(operations: operations))
    }

    /// References to a public record of somebody else, which its maker deletes meanwhile.
    private mutating func referToOthers() async throws {
        let everybody = client.on("public")
        try await everybody.save(.forceUpdate, "target", ["n": .int64(1)], zone: nil)
        for action in [WireReference.Action.validate, .deleteSelf] {
            let account = client.user("fan \(random.below(4))").on("public")
            let operations = (0..<750).map { number in
                let target = WireReference(recordName: "target", action: action)
                return operation(.forceReplace, "\(account.query) \(number)", ["p": .reference(target)])
            }
            let body = String(
                decoding: try RecordsModifyRequest(operations: operations, atomic: false).wireJSON(), as: UTF8.self)
            _ = try await account.raw(.recordsModify, body)
        }
        _ = try await everybody.modify([operation(.forceDelete, "target")], zone: nil)
    }
}
