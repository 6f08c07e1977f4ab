import Backstitch
import BackstitchSync

/// The writes of a workload's transaction, for the ledger.
struct Promises {
    var values: [(Ledger.Place, String?)] = []
    var deletions: [ObjectKey] = []
    /// The words for the trace.
    var words: [String] = []

    mutating func set(_ object: ManagedObject?, _ property: String, _ value: String?) {
        guard let object else { return }
        object[property] = value
        let place = Ledger.Place(object.key, property)
        // A value that the same save overwrites was never promised.
        values.removeAll { $0.0 == place }
        values.append((place, value))
    }

    mutating func say(_ what: String) { words.append(what) }
}
