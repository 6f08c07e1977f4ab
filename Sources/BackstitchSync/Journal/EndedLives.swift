import Backstitch
import Foundation

// The feed still tells of a deletion that the server has taken. An insert of the object before that, as undo makes one,
// begins another life of it, which that news does not end: it does not prove that the new insert has arrived.

extension SyncMetadata {
    /// Keys of objects whose deletion the server has taken since the last pull that came to its end, 16 bytes each.
    static let ended = "sync.ended"
}

extension JournalReading {
    /// Objects whose deletion the server has taken, and of which the feed may still tell.
    func endedKeys() throws -> Set<ObjectKey> { Set(try endedList()) }

    fileprivate func endedList() throws -> [ObjectKey] {
        try metadata(for: SyncMetadata.ended).flatMap { ObjectKey.keys(Array($0)) } ?? []
    }
}

extension JournalWriting {
    /// Notes objects whose deletion the server has. Of many only the last are kept: few are inserted again within a
    /// cycle.
    func noteEnded(_ keys: [ObjectKey]) throws {
        guard !keys.isEmpty else { return }
        let all = try endedList() + keys
        try setMetadata(Data(ObjectKey.bytes(all.suffix(10_000))), for: SyncMetadata.ended)
    }

    /// A pull has come to its end, which began after all that was noted.
    func forgetEnded() throws {
        if try metadata(for: SyncMetadata.ended) != nil { try setMetadata(nil, for: SyncMetadata.ended) }
    }
}
