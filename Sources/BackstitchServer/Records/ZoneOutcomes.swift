import BackstitchSupport

/// The outcomes of the operations on one zone, with the shares in the answer.
struct ZoneOutcomes: Sendable {
    var zone: StoredZone
    var shares: [StoredShare]
    /// The bytes of each share in the answer, by the name of its record.
    var weights: [ByteText: Int]
    var outcomes: [(index: Int, outcome: RecordOutcome)]

    /// The maximum number of bytes of a record in an answer.
    func weight(of record: StoredRecord) -> Int {
        record.weight + (ShownShare.isShare(record) ? weights[ByteText(record.name)] ?? 0 : 0)
    }
}
