/// Keys in an order, each once. They are divided into runs of a few hundred. Inserting, removing and finding a key
/// therefore touches only the keys of one run.
///
/// - Complexity: O(run length + count / run length) for each operation on one key; O(count) once, for the first
///   operation that has to find a key.
final class KeySequence {
    private final class Run {
        var keys: [ObjectKey]
        init(_ keys: [ObjectKey]) { self.keys = keys }
    }

    private var runs: [Run] = []
    /// The run of each key; nil until a key is looked for.
    private var places: [ObjectKey: Run]?
    /// The number of keys.
    private(set) var count: Int

    private static let longest = 512

    /// Creates a sequence of these keys, which must differ from each other.
    init(_ keys: [ObjectKey]) {
        count = keys.count
        for start in stride(from: 0, to: keys.count, by: Self.longest / 2) {
            runs.append(Run(Array(keys[start..<min(start + Self.longest / 2, keys.count)])))
        }
    }

    /// All keys, in order.
    var keys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        for run in runs { keys += run.keys }
        return keys
    }

    /// The last key; nil when there is none.
    var last: ObjectKey? { runs.last?.keys.last }

    /// The key at an index below ``count``.
    subscript(index: Int) -> ObjectKey {
        let (run, offset) = position(index)
        return runs[run].keys[offset]
    }

    /// Whether the sequence has the key.
    func contains(_ key: ObjectKey) -> Bool {
        findPlaces()
        return places?[key] != nil
    }

    /// Appends a key. The sequence must not have it yet.
    func append(_ key: ObjectKey) {
        guard let run = runs.last, run.keys.count < Self.longest else { return insert(key, at: count) }
        run.keys.append(key)
        places?[key] = run
        count += 1
    }

    /// Inserts a key before the key at an index, or at the end. The sequence must not have it yet.
    func insert(_ key: ObjectKey, at index: Int) {
        defer { count += 1 }
        guard !runs.isEmpty else {
            runs = [Run([key])]
            places?[key] = runs[0]
            return
        }
        let (place, offset) = position(index)
        let run = runs[place]
        run.keys.insert(key, at: offset)
        places?[key] = run
        if run.keys.count > Self.longest { split(place) }
    }

    /// Removes a key from the sequence.
    ///
    /// - Returns: Whether the sequence had the key.
    @discardableResult
    func remove(_ key: ObjectKey) -> Bool {
        findPlaces()
        guard let run = places?[key], let offset = run.keys.firstIndex(of: key) else { return false }
        run.keys.remove(at: offset)
        places?[key] = nil
        count -= 1
        if run.keys.isEmpty { runs.removeAll { $0 === run } }
        return true
    }

    /// Returns the run of an index, and the offset in the run. The end counts as a place of the last run.
    private func position(_ index: Int) -> (run: Int, offset: Int) {
        // Most calls look for the end.
        if let last = runs.last, index >= count - last.keys.count {
            return (runs.count - 1, index - (count - last.keys.count))
        }
        var rest = index
        var run = 0
        while rest >= runs[run].keys.count {
            rest -= runs[run].keys.count
            run += 1
        }
        return (run, rest)
    }

    private func split(_ place: Int) {
        let run = runs[place]
        // A run that grows at its end is left full.
        let middle = place == runs.count - 1 ? run.keys.count - 1 : run.keys.count / 2
        let rest = Run(Array(run.keys[middle...]))
        run.keys.removeSubrange(middle...)
        runs.insert(rest, at: place + 1)
        if places != nil {
            for key in rest.keys { places?[key] = rest }
        }
    }

    private func findPlaces() {
        if places != nil { return }
        var places: [ObjectKey: Run] = [:]
        places.reserveCapacity(count)
        for run in runs {
            for key in run.keys { places[key] = run }
        }
        self.places = places
    }
}
