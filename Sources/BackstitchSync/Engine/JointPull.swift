extension SyncEngine {
    /// A pull of several zones together. One request asks for many of them, and one transaction applies the answers.
    /// While pages are applied, the next ones are fetched.
    ///
    /// Each zone has its own state. After an error in a zone, the cycle later works in that zone alone, with all
    /// remedies available.
    struct JointPull: Sendable {
        /// The zones of later requests; the next ones are at the end.
        private var waiting: [ZoneCursor] = []
        /// The zones of the running request.
        private(set) var asked: [ZoneCursor] = []
        private var fetched: ArraySlice<ZonePage> = []
        private(set) var applying: ArraySlice<ZonePage> = []
        /// The zones that were read to their end.
        private(set) var read: Set<Int64> = []
        /// The zones whose pages have caused changes to send.
        private(set) var unsent: Set<Int64> = []
        /// The zones that are left to be read singly.
        private(set) var alone: Set<Int64> = []
        /// The number of answers in a row without any page, and of transactions in a row without new data or a finished
        /// zone.
        private var empty = 0, fruitless = 0

        private static let mostEmpty = 3, mostFruitless = 100

        /// Begins with zones at these points, or begins again after a failure.
        mutating func begin(with cursors: [ZoneCursor]) {
            waiting = cursors.reversed()
            (asked, fetched, applying) = ([], [], [])
        }

        mutating func leaveAlone(_ zones: some Sequence<Int64>) { alone.formUnion(zones) }

        var isQuiet: Bool { asked.isEmpty && applying.isEmpty }
        var hasMore: Bool { !asked.isEmpty || !waiting.isEmpty || !fetched.isEmpty }

        /// Removes the pages for one transaction: at least one, and no more than `most` records in all if there are
        /// several. Zones with more pages are requested again, together with the next ones.
        ///
        /// - Returns: Whether there are any.
        mutating func takePages(records most: Int) -> Bool {
            guard applying.isEmpty, let first = fetched.first else { return false }
            var count = first.page.records.count, end = fetched.startIndex + 1
            while end < fetched.endIndex, count + fetched[end].page.records.count <= most {
                count += fetched[end].page.records.count
                end += 1
            }
            applying = fetched[..<end]
            fetched = fetched[end...]
            for page in applying.reversed() where page.page.moreComing {
                waiting.append(ZoneCursor(zone: page.zone, token: page.page.token))
            }
            return true
        }

        /// Removes the zones of the next request from the waiting ones.
        ///
        /// - Returns: Whether there are any.
        mutating func takeZones(_ most: Int) -> Bool {
            guard asked.isEmpty, fetched.isEmpty, !waiting.isEmpty else { return false }
            asked = waiting.suffix(most).reversed()
            waiting.removeLast(asked.count)
            return true
        }

        /// Handles the answer for the requested zones. Returns the number of zones in the next request, after `width`
        /// of them.
        mutating func take(_ answer: FetchedPages, width: Int, _ settings: Settings) -> Int {
            let pages = answer.pages.filter { !alone.contains($0.zone) }
            let unanswered = Set(answer.unanswered)
            let answered = Set(answer.pages.map(\.zone))
            empty = pages.isEmpty && !unanswered.isEmpty ? empty + 1 : 0
            if empty > Self.mostEmpty { alone.formUnion(unanswered) }
            waiting += asked.reversed().filter { unanswered.contains($0.zone) && !alone.contains($0.zone) }
            alone.formUnion(asked.map(\.zone).filter { !answered.contains($0) && !unanswered.contains($0) })
            fetched = pages[...]
            let wasFull = asked.count >= width
            asked = []
            let records = pages.reduce(0) { $0 + $1.page.records.count }
            if !unanswered.isEmpty || records > settings.recordsTogether { return max(width / 2, 2) }
            let mayGrow = wasFull && records < settings.recordsTogether / 4
            return mayGrow ? min(width * 2, settings.mostZonesTogether) : width
        }

        /// Handles the changes that the pages have made.
        mutating func take(_ answer: AppliedPages) {
            let applied = Dictionary(answer.zones.map { ($0.zone, $0.applied) }, uniquingKeysWith: { $1 })
            var hasEnded = false
            for page in applying {
                guard let changes = applied[page.zone] else {
                    alone.insert(page.zone)
                    continue
                }
                if changes.hasUnsent { unsent.insert(page.zone) }
                if page.page.moreComing { continue }
                read.insert(page.zone)
                hasEnded = true
            }
            applying = []
            fetched.removeAll { alone.contains($0.zone) }
            waiting.removeAll { alone.contains($0.zone) }
            fruitless = hasEnded || applied.values.contains { !$0.isFruitless } ? 0 : fruitless + 1
            // The single pulls find out whether those zones ever end.
            if fruitless > Self.mostFruitless {
                alone.formUnion(waiting.map(\.zone) + asked.map(\.zone))
                waiting = []
            }
        }
    }
}
