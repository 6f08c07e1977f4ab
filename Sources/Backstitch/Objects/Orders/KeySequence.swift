/// Keys in an order, each once. They are divided into runs of a few hundred. Inserting, removing and finding a key
/// therefore touches only the keys of one run.
///
/// - Complexity: O(run length + count / run length) for each operation on one key, with a step of a nanosecond for a
///   run; O(count) once, for the first operation that has to find a key.
final class KeySequence {
    // Nothing here calls code that leads back to a sequence. So its parts are not checked for exclusive access at run
    // time, which took a tenth of the time to append an object.
    private final class Run {
        @exclusivity(unchecked) var keys: [ObjectKey]
        /// Its place among the runs.
        @exclusivity(unchecked) var index: Int

        init(_ keys: [ObjectKey], _ index: Int) {
            self.keys = keys
            self.index = index
        }
    }

    @exclusivity(unchecked) private var runs: [Run] = []
    /// The number of keys in each run. Places are found in this list without a look at the runs.
    @exclusivity(unchecked) private var counts: [Int] = []
    /// The run of each key; nil until a key is looked for.
    @exclusivity(unchecked) private var places: [ObjectKey: Run]?
    /// The number of keys.
    @exclusivity(unchecked) private(set) var count: Int

    private static let longest = 512

    /// Creates a sequence of these keys, which must differ from each other.
    init(_ keys: [ObjectKey]) {
        count = keys.count
        for start in stride(from: 0, to: keys.count, by: Self.longest / 2) {
            runs.append(Run(Array(keys[start..<min(start + Self.longest / 2, keys.count)]), runs.count))
        }
        counts = runs.map(\.keys.count)
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
        counts[counts.count - 1] += 1
        places?[key] = run
        count += 1
    }

    /// Inserts a key before the key at an index, or at the end. The sequence must not have it yet.
    func insert(_ key: ObjectKey, at index: Int) {
        defer { count += 1 }
        guard !runs.isEmpty else {
            runs = [Run([key], 0)]
            counts = [1]
            places?[key] = runs[0]
            return
        }
        let (place, offset) = position(index)
        let run = runs[place]
        run.keys.insert(key, at: offset)
        counts[place] += 1
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
        counts[run.index] -= 1
        places?[key] = nil
        count -= 1
        if run.keys.isEmpty {
            runs.remove(at: run.index)
            counts.remove(at: run.index)
            numberRuns(from: run.index)
        }
        return true
    }

    /// Returns the run of an index, and the offset in the run. The end counts as a place of the last run.
    private func position(_ index: Int) -> (run: Int, offset: Int) {
        // Most calls look for the end.
        if let last = counts.last, index >= count - last { return (runs.count - 1, index - (count - last)) }
        var rest = index
        var run = 0
        while rest >= counts[run] {
            rest -= counts[run]
            run += 1
        }
        return (run, rest)
    }

    private func split(_ place: Int) {
        let run = runs[place]
        // A run that grows at its end is left full.
        let middle = place == runs.count - 1 ? run.keys.count - 1 : run.keys.count / 2
        let rest = Run(Array(run.keys[middle...]), place + 1)
        run.keys.removeSubrange(middle...)
        runs.insert(rest, at: place + 1)
        counts.insert(rest.keys.count, at: place + 1)
        counts[place] = run.keys.count
        numberRuns(from: place + 2)
        if places != nil {
            for key in rest.keys { places?[key] = rest }
        }
    }

    private func numberRuns(from first: Int) {
        for index in first..<max(first, runs.count) { runs[index].index = index }
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
