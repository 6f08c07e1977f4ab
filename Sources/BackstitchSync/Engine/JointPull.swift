extension SyncEngine {
    /// A pull of several zones together: one request asks about many of them, and one transaction takes what came.
    /// While pages are applied, the next ones are fetched.
    ///
    /// Each zone's bookkeeping is its own. A zone with which anything is wrong is left for the cycle to work in it by
    /// itself, where all remedies are.
    struct JointPull: Sendable {
        /// Zones to ask about; the next ones are at the end.
        private var waiting: [ZoneCursor] = []
        /// Zones that are being asked about.
        private(set) var asked: [ZoneCursor] = []
        private var fetched: ArraySlice<ZonePage> = []
        private(set) var applying: ArraySlice<ZonePage> = []
        /// Zones that were read to their end.
        private(set) var read: Set<Int64> = []
        /// Zones in which what came has left something to send.
        private(set) var unsent: Set<Int64> = []
        /// Zones that are left to be read by themselves.
        private(set) var alone: Set<Int64> = []
        /// How many answers in a row had no page for anybody, and how many transactions in a row brought nothing new
        /// and no zone to its end.
        private var empty = 0, fruitless = 0

        private static let mostEmpty = 3, mostFruitless = 100

        /// Begins, or begins again after a failure, with zones at these points.
        mutating func begin(with cursors: [ZoneCursor]) {
            waiting = cursors.reversed()
            (asked, fetched, applying) = ([], [], [])
        }

        mutating func leaveAlone(_ zones: some Sequence<Int64>) { alone.formUnion(zones) }

        var isQuiet: Bool { asked.isEmpty && applying.isEmpty }
        var hasMore: Bool { !asked.isEmpty || !waiting.isEmpty || !fetched.isEmpty }

        /// Takes out the pages that one transaction is to take: at least one, and no more than so many records beyond
        /// it. Those of zones that have more are asked about again, together with the next ones.
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

        /// Takes out the zones that are asked about next.
        ///
        /// - Returns: Whether there are any.
        mutating func takeZones(_ most: Int) -> Bool {
            guard asked.isEmpty, fetched.isEmpty, !waiting.isEmpty else { return false }
            asked = waiting.suffix(most).reversed()
            waiting.removeLast(asked.count)
            return true
        }

        /// Takes the answer about the zones that were asked about; gives how many zones are asked about next, after
        /// `width` of them.
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

        /// Takes the changes that the pages have made.
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
            // Whether they ever come to an end is found out zone by zone.
            if fruitless > Self.mostFruitless {
                alone.formUnion(waiting.map(\.zone) + asked.map(\.zone))
                waiting = []
            }
        }
    }
}
