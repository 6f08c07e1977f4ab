import Backstitch
import BackstitchSync

/// How far a device is with the others, as its store says.
struct Standing {
    let waiting: Int
    let blocked: Int
    /// Assets that are to be downloaded.
    let assets: Int
    let token: String?
    /// Whether everything is being read again.
    let isFetchingAll: Bool
    /// The tokens of the zones beside the main one, by their names.
    let further: [String: String?]

    fileprivate init(_ journal: any JournalReading) throws {
        (waiting, blocked) = try journal.outboxCounts()
        assets = try journal.wantedAssetCount()
        token = try journal.changeToken()
        isFetchingAll = try journal.isReadingAll()
        let tokens = try journal.zones().map { ($1, try journal.changeToken(ofZone: $0)) }
        further = Dictionary(uniqueKeysWithValues: tokens)
    }
}

extension SimulatedDevice {
    /// How far it is; nil when its process has ended. The world asks all the time, so it is read once between two
    /// commits.
    func standing() throws -> Standing? {
        guard let process else { return nil }
        if let known = process.standing, known.commits == disk.commits { return known.standing }
        let standing = try process.store.readJournal { try Standing($0) }
        process.standing = (disk.commits, standing)
        return standing
    }

    /// Whether its outbox holds anything.
    var hasUnsentChanges: Bool {
        get throws { try standing()?.waiting ?? 0 > 0 }
    }
}
