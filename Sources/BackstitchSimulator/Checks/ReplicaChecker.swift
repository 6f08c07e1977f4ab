package import BackstitchServer

/// Checks that replicas agree. Two devices must show the same content if they have read up to the same point of the
/// feed and have nothing to send.
package struct ReplicaChecker {
    /// A point of the feed, as a version of the model sees it.
    package struct Place: Hashable {
        let modelVersion: Int
        let position: FeedPosition

        /// A point as devices of one model version see it.
        package init(modelVersion: Int, position: FeedPosition) {
            self.modelVersion = modelVersion
            self.position = position
        }
    }

    private var seen: [Place: (device: String, lines: [String])] = [:]

    package init() {}

    /// Compares a device's content with earlier content at the same place.
    ///
    /// - Returns: The fault found; nil when there is none.
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
