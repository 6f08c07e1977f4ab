import Backstitch
import BackstitchSync

extension SimulatedDevice {
    /// The progress of the device; nil when its process has ended. The world asks all the time, so the store is read at
    /// most once between two commits.
    func standing() throws -> Standing? {
        guard let process = living else { return nil }
        if let known = process.standing, known.commits == disk.commits { return known.standing }
        let standing = try process.store.readJournal { try Standing($0, database) }
        process.standing = (disk.commits, standing)
        return standing
    }

    /// Whether its outbox holds any changes.
    var hasUnsentChanges: Bool {
        get throws { try standing()?.waiting ?? 0 > 0 }
    }
}
