import CloudWire

/// The content of an answer, before it is encoded.
struct ModifyResults: Sendable {
    /// The outcomes of the operations, for each zone.
    var outcomes: [ZoneOutcomes] = []
    var failures: [Int: RecordError] = [:]
    var syncToken: String?

    /// The number of saved and deleted records.
    var written: Int {
        outcomes.reduce(0) { count, zone in
            count
                + zone.outcomes.count {
                    if case .failed = $0.outcome { false } else { true }
                }
        }
    }

    /// Spends the budget for the content of the answer.
    ///
    /// The server's records of conflicts are left out if they do not fit. A client can look them up.
    mutating func spend(_ budget: inout AnswerBudget, withFields: Bool, extensions: Bool) throws(WireError) {
        for failure in failures.values {
            try budget.require(300 + 2 * failure.recordName.utf8.count + failure.error.reason.utf8.count)
        }
        for zone in outcomes.indices {
            for place in outcomes[zone].outcomes.indices {
                switch outcomes[zone].outcomes[place].outcome {
                case .saved(let record):
                    let weight = outcomes[zone].weight(of: record)
                    try budget.require(withFields ? weight : weight - record.fields.count)
                case .deleted(let name): try budget.require(300 + 2 * name.utf8.count)
                case .failed(let name, let error, let server):
                    try budget.require(300 + 2 * name.utf8.count + error.reason.utf8.count)
                    if let server, extensions, budget.take(outcomes[zone].weight(of: server)) { continue }
                    outcomes[zone].outcomes[place].outcome = .failed(name: name, error, server: nil)
                }
            }
        }
    }
}
