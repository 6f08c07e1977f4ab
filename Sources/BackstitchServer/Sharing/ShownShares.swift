import BackstitchSupport
import CloudWire

/// The shares that an answer shows, read some at a time, so that no more of them is in memory than it has room for.
struct ShownShares {
    /// Records whose shares are read together.
    static let portion = 100

    private let zone: StoredZone
    private let reading: any ZoneReading
    private var found: [ByteText: StoredShare] = [:]
    private var weights: [ByteText: Int] = [:]

    init(of zone: StoredZone, _ reading: any ZoneReading) {
        self.zone = zone
        self.reading = reading
    }

    /// By number.
    var all: [StoredShare] { found.values.sorted { ($0.number, $0.record) < ($1.number, $1.record) } }

    /// Bytes that all of them take in an answer, at most.
    var weight: Int { weights.values.reduce(0, +) }

    /// Bytes that a record takes in an answer because it is a share, at most.
    func weight(of record: StoredRecord) -> Int {
        ShownShare.isShare(record) ? weights[ByteText(record.name)] ?? 0 : 0
    }

    /// Adds the shares that further records show, a hundred at most: those whose own records, or whose roots, are among
    /// them, and which the caller sees.
    mutating func add(_ records: some Sequence<StoredRecord>) throws {
        guard zone.sharing.contains(.shared) else { return }
        var names: [String] = [], roots: [String] = []
        for record in records {
            if ShownShare.isShare(record) { names.append(record.name) }
            if record.flags.contains(.root) { roots.append(record.name) }
        }
        for share in try reading.shares(of: zone, named: names, ofRoots: roots, rootsOnly: true) {
            if let parts = zone.access?.parts, !parts.contains(where: { $0.number == share.number }) { continue }
            let name = ByteText(share.record)
            // One that is found by its root has no participants.
            if share.participants.isEmpty, found[name] != nil { continue }
            found[name] = share
            weights[name] = share.weight
        }
    }
}
