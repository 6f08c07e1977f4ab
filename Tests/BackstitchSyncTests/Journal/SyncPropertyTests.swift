import Backstitch
import BackstitchSQL
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("what sync keeps in a store's metadata")
struct SyncPropertyTests {
    @Test("has the names and the bytes that earlier versions wrote")
    func format() throws {
        let bench = try JournalBench()
        let id = key(1), other = key(2), place = AssetPlace(key: id, attribute: "photo")
        let reference = AssetReference(checksum: "ab", size: 3)
        let number = Data([2, 1, 0, 0, 0, 0, 0, 0])
        try bench.store.writeJournal(author: "test") { journal in
            try journal.set(.token, to: "t")
            try journal.set(.setUp, to: true)
            try journal.set(.sweep, to: .asked)
            try journal.set(.attempted, to: 258)
            try journal.set(.ended, to: [id, other])
            try journal.setNote(.away, of: id, to: true)
            try journal.setNote(.departed, of: id, to: "Note")
            try journal.setNote(.merged, of: id, to: other)
            try journal.setNote(.withdrawn, of: id, to: 258)
            try journal.setNote(.pinned, of: place, to: true)
            try journal.setNote(.lastUse, of: reference, to: 258)
            try journal.setNote(.parked, of: "r/1", to: ParkedNote(reason: "odd", record: nil))
        }
        let kept: [String: Data] = [
            "sync.token": Data("t".utf8), "sync.setUp": Data("1".utf8), "sync.sweep": Data("asked".utf8),
            "sync.attempted": number, "sync.ended": Data(ObjectKey.bytes([id, other])),
            "sync.away/\(id.uuidString)": Data("1".utf8), "sync.departed/\(id.uuidString)": Data("Note".utf8),
            "sync.merged/\(id.uuidString)": Data(other.uuidString.utf8), "sync.withdrawn/\(id.uuidString)": number,
            "sync.pin/\(id.uuidString)/photo": Data("1".utf8), "sync.assetUse/3:ab": number,
            "sync.parked/r/1": Data("odd\n".utf8),
        ]
        for (name, data) in kept { #expect(try bench.metadata(name) == data, "\(name)") }
        try bench.store.readJournal { journal in
            #expect(try journal.subjects(of: .away) == [id])
            #expect(try journal.notes(.merged).map(\.value) == [other])
            #expect(try journal.subjects(of: .pinned) == [place])
            #expect(try journal.note(.lastUse, of: reference) == 258)
            #expect(try journal.value(of: .ended) == [id, other])
            let parked = try journal.note(.parked, of: "r/1")
            #expect(parked?.reason == "odd")
        }
    }

    @Test("goes with a life of the zone, but for what is the store's")
    func forgetting() throws {
        let bench = try JournalBench()
        try bench.store.writeJournal(author: "test") { journal in
            try journal.set(.token, to: "t")
            try journal.set(.mark, to: "m")
            try journal.set(.scope, to: "s")
            try journal.forgetZoneState()
        }
        let (token, hasMark, scope) = try bench.store.readJournal { journal in
            (try journal.value(of: .token), try journal.has(.mark), try journal.value(of: .scope))
        }
        #expect(token == nil)
        #expect(!hasMark)
        #expect(scope == "s")
    }
}
