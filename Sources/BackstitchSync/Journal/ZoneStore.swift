import Backstitch
import BackstitchSupport

/// A store, limited to one of its zones.
final class ZoneStore: JournalLayer {
    static let typeName = "Zone"

    let journalBase: any JournalingStore
    private let zone: Int64

    init(_ store: any JournalingStore, zone: Int64) { (journalBase, self.zone) = (store, zone) }

    init(_ configuration: StoreConfiguration) throws {
        throw BackstitchError(.invalidRequest, "a zone is a part of a synced store, and no store that can be opened")
    }

    func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result {
        try journalBase.readJournal { try body(ZoneReader($0, zone)) }
    }

    func writeJournal<Result>(author: String, _ body: (any JournalWriting) throws -> Result) throws -> Result {
        try journalBase.writeJournal(author: author) { try body(ZoneWriter($0, zone)) }
    }
}
