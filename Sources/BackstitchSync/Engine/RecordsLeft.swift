/// The remaining records of the zones that a cycle reads, from the numbers that the server sends at the beginning.
struct RecordsLeft: Sendable {
    private var zones: [Int64: Int] = [:]

    /// Counts a page that was applied.
    mutating func note(_ page: FetchedPage, of zone: Int64) {
        guard page.moreComing else { return zones[zone] = nil }
        // A number that was counted only up to a limit becomes unknown when it is reached.
        let known = zones[zone].flatMap { $0 > page.records.count ? $0 - page.records.count : nil }
        zones[zone] = page.recordsLeft ?? known
    }

    /// Returns the total number of remaining records; nil if more are expected and no zone's number is known.
    func count(moreComing: Bool) -> Int? {
        guard moreComing else { return 0 }
        return zones.isEmpty ? nil : zones.values.reduce(0, +)
    }
}
