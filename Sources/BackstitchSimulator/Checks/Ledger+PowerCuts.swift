import Backstitch

extension Ledger {
    /// A power cut has taken back the commits of a device after a certain one. Writes that the server has taken by then
    /// stay promised; the rest is as if it had never been saved, so that the values that it had overwritten are
    /// promised again. Changes that were given up in the lost commits are given up no more.
    ///
    /// - Returns: How many promises are gone.
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

    /// Whether the server has had a value.
    package func hasTaken(_ place: Place, _ value: String) -> Bool { taken[place]?.contains(value) ?? false }
}
