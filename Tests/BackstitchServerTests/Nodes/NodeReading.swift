import CloudWire

/// The findings of a reader that has followed a zone. All commits have the same number of records.
struct NodeReading: Sendable {
    let zone: String
    /// How often each record has come.
    private(set) var times: [String: Int] = [:]
    /// Commits that were only partly on a page.
    private(set) var cutCommits = 0
    /// Records that were acknowledged, and have not come.
    private(set) var lost: [String] = []
    /// Records that have come more than once.
    private(set) var doubled: [String] = []
    /// Records that have come, and were never acknowledged.
    private(set) var unknown: [String] = []
    /// Whether a new reader sees the same.
    var isSteady = false

    init(zone: String) { self.zone = zone }

    /// Takes a page. Records of one commit have one change tag.
    mutating func take(_ page: [WireRecord]) {
        for record in page { times[record.recordName, default: 0] += 1 }
        let commits = Dictionary(grouping: page) { $0.recordChangeTag ?? "" }
        cutCommits += commits.values.count { $0.count != NodeStorm.size }
    }

    /// Compares with the records that were acknowledged. Each push was repeated until it was, so there are no others.
    mutating func compare(with written: Set<String>) {
        lost = written.subtracting(times.keys).sorted()
        unknown = Set(times.keys).subtracting(written).sorted()
        doubled = times.filter { $0.value > 1 }.keys.sorted()
    }
}

/// The findings of a storm.
struct NodeReport: Sendable, CustomStringConvertible {
    var pushes: Int
    var repeats: Int
    var kills: Int
    var crashes: Int
    var readings: [NodeReading]

    var description: String {
        let records = readings.reduce(0) { $0 + $1.times.count }, cut = readings.reduce(0) { $0 + $1.cutCommits }
        let lost = readings.reduce(0) { $0 + $1.lost.count }, doubled = readings.reduce(0) { $0 + $1.doubled.count }
        return "\(pushes) pushes, \(records) records, \(repeats) requests repeated, \(kills) nodes killed, "
            + "\(crashes) crashes of the database, \(lost) lost, \(doubled) doubled, \(cut) commits cut"
    }
}
