/// How many records the zones that a cycle reads have left, as their server tells at the beginning.
struct RecordsLeft: Sendable {
    private var zones: [Int64: Int] = [:]

    /// Takes note of a page that is taken.
    mutating func note(_ page: FetchedPage, of zone: Int64) {
        guard page.moreComing else { return zones[zone] = nil }
        // One that counted only up to a number has no more to say when that has come.
        let known = zones[zone].flatMap { $0 > page.records.count ? $0 - page.records.count : nil }
        zones[zone] = page.recordsLeft ?? known
    }

    /// The number of all of them; nil where more come, and nobody has told how many.
    func count(moreComing: Bool) -> Int? {
        guard moreComing else { return 0 }
        return zones.isEmpty ? nil : zones.values.reduce(0, +)
    }
}
