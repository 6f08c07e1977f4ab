package import BackstitchServer

/// Replicas that have read up to one point of the feed, and have nothing of their own to send, show the same, whenever
/// they are there.
package struct ReplicaChecker {
    /// A point of the feed, as a version of the model sees it.
    package struct Place: Hashable {
        let modelVersion: Int
        let position: FeedPosition

        /// A point.
        package init(modelVersion: Int, position: FeedPosition) {
            self.modelVersion = modelVersion
            self.position = position
        }
    }

    private var seen: [Place: (device: String, lines: [String])] = [:]

    package init() {}

    /// A device shows these lines at a place.
    ///
    /// - Returns: The fault in that; nil when there is none.
    package mutating func saw(_ device: String, _ lines: [String], at place: Place) -> String? {
        guard let known = seen[place] else {
            seen[place] = (device, lines)
            return nil
        }
        guard known.lines != lines else { return nil }
        let first = known.lines.filter { !lines.contains($0) }, second = lines.filter { !known.lines.contains($0) }
        return "at commit \(place.position.sequence) \(known.device) had \(first), and \(device) has \(second)"
    }
}
