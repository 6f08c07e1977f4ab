import BackstitchSupport
import CloudWire

/// The shares of an answer. They are read some at a time, so no more of them is in memory than fits into the answer.
struct ShownShares {
    /// The number of records whose shares are read together.
    static let portion = 100

    private let zone: StoredZone
    private let reading: ZoneSnapshot
    private var found: [ByteText: StoredShare] = [:]
    private var weights: [ByteText: Int] = [:]

    init(of zone: StoredZone, _ reading: ZoneSnapshot) {
        self.zone = zone
        self.reading = reading
    }

    /// The shares to show in an answer with some records.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if they are larger than an answer may be.
    init(
        in records: [StoredRecord], of zone: StoredZone, _ scope: RequestScope, _ reading: ZoneSnapshot
    ) throws {
        self.init(of: zone, reading)
        for portion in records.parts(of: Self.portion) {
            try add(portion)
            guard weight <= scope.limits.answer else { throw AnswerBudget.exceeded(scope.limits.answer) }
        }
    }

    /// All found shares, in the order of their numbers.
    var all: [StoredShare] { found.values.sorted { ($0.number, $0.record) < ($1.number, $1.record) } }

    /// The maximum bytes of all these shares in an answer.
    var weight: Int { weights.values.reduce(0, +) }

    /// The maximum bytes that a record adds to an answer because it is a share.
    func weight(of record: StoredRecord) -> Int {
        ShownShare.isShare(record) ? weights[ByteText(record.name)] ?? 0 : 0
    }

    /// Adds the shares of up to a hundred further records, found by their own records and by their roots.
    ///
    /// Shares outside the caller's view are left out.
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
            // A share found by its root has no participants.
            if share.participants.isEmpty, found[name] != nil { continue }
            found[name] = share
            weights[name] = share.weight
        }
    }
}
