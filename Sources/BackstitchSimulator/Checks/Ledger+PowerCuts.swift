import Backstitch

extension Ledger {
    /// Takes back the commits of a device after a certain one, because of a power cut.
    ///
    /// Writes already on the server stay promised. All other writes after the commit count as never saved, and the
    /// values before them are promised again. Conflicts reported in the lost commits are no longer reported.
    ///
    /// - Returns: The number of removed promises.
    package mutating func cut(_ device: String, after commit: Int) -> Int {
        var gone = 0
        for (place, all) in promises {
            let had = taken[place] ?? []
            promises[place] = all.filter { promise in
                promise.device != device || promise.commit <= commit || promise.value.map(had.contains) ?? false
            }
            gone += all.count - (promises[place]?.count ?? 0)
            if promises[place]?.isEmpty ?? false { promises[place] = nil }
        }
        for (key, all) in deletions where !isGone(key) {
            deletions[key] = all.filter { $0.device != device || $0.commit <= commit }
            gone += all.count - (deletions[key]?.count ?? 0)
            if deletions[key]?.isEmpty ?? false { deletions[key] = nil }
        }
        for (name, commits) in conflicts where name.hasPrefix(device + " ") {
            conflicts[name] = commits.filter { $0 <= commit }
            if conflicts[name]?.isEmpty ?? false { conflicts[name] = nil }
        }
        return gone
    }

    /// Whether the server has ever had a value.
    package func hasTaken(_ place: Place, _ value: String) -> Bool { taken[place]?.contains(value) ?? false }
}
