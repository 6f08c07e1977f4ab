import BackstitchSupport
import CloudWire

extension ZonePlan {
    /// The maximum number of references with DELETE_SELF to one record, as in CloudKit. In the public database it
    /// counts for each user.
    static let largestFamily = 750
    /// The same for all users together in the public database. A deletion can take the same number of records along.
    static let largestPublicFamily = largestCascade
    /// The maximum number of records that the deletions of one request may take along.
    static let largestCascade = 4000
    /// The maximum number of references with VALIDATE or DELETE_SELF in one request.
    static let mostReferences = 20_000
    /// The maximum number of records that become new targets of DELETE_SELF in one request. For each of them the
    /// references are counted.
    static let mostFamilies = 2_000

    /// Checks references with VALIDATE, and finds the records taken along by deletions. Complexity: linear in the
    /// number of examined references.
    ///
    /// The order within the batch does not matter: a record may refer to one made by the same batch. If one operation
    /// fails, another may lose its target and fail as well.
    mutating func settleReferences(_ reading: ZoneSnapshot) throws {
        cascade = []
        guard changes.contains(where: { $0?.record.deleted == true || $0?.references.isEmpty == false }) else { return }
        try require(
            changes.reduce(0) { $0 + ($1?.references.count ?? 0) }, atMost: Self.mostReferences,
            "references with an action")
        try refuseTooManySources(reading)
        try refuseMissingTargets(reading)
        try followDeletions(reading)
    }

    /// Whether each record of the batch will be live, by name.
    private func plannedStates() -> [ByteText: Bool] {
        var states: [ByteText: Bool] = [:]
        for case let change? in changes { states[ByteText(change.record.name)] = !change.record.deleted }
        return states
    }

    /// Checks a count before any look-up that costs time for each item.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if `count` is too large.
    private func require(_ count: Int, atMost most: Int, _ what: String) throws(WireError) {
        guard count > most else { return }
        throw WireError(
            .badRequest,
            "\(WireError.limitExceededPrefix): the records of this request have \(count) \(what), at most \(most); "
                + "save fewer at a time")
    }

    /// Fails saves that would give a record too many references with DELETE_SELF. Records that already refer to it are
    /// not affected.
    private mutating func refuseTooManySources(_ reading: ZoneSnapshot) throws {
        var joining: [ByteText: [Int]] = [:], leaving: [ByteText: Int] = [:]
        for index in changes.indices {
            guard let change = changes[index] else { continue }
            let (old, new) = (try change.familiesBefore(), change.families)
            for target in new.subtracting(old) { joining[target, default: []].append(index) }
            for target in old.subtracting(new) { leaving[target, default: 0] += 1 }
        }
        guard !joining.isEmpty else { return }
        try require(joining.count, atMost: Self.mostFamilies, "new targets of references with DELETE_SELF")
        let isPublic = scope.database.scope == .public
        let most = isPublic ? Self.largestPublicFamily : Self.largestFamily
        let counts = try reading.sourceCounts(zone, of: joining.keys.map(\.string), upTo: most + changes.count + 1)
        refuse(joining, leaving, beside: counts, most, of: "records")
        guard isPublic else { return }
        try refuseTooManySourcesOfUser(joining, leaving, beside: counts, reading)
    }

    /// Fails saves that refer to a record with too many references.
    ///
    /// - Parameters:
    ///   - joining: The places of the saves with a new reference to a record, by that record.
    ///   - leaving: The number of records that no longer refer to a record.
    ///   - what: The kind of the counted records, for the error.
    private mutating func refuse(
        _ joining: [ByteText: [Int]], _ leaving: [ByteText: Int], beside counts: [(target: String, count: Int)],
        _ most: Int, of what: String
    ) {
        // In a fixed order, so the same request always fails in the same way.
        for (target, count) in counts.sorted(by: { $0.target < $1.target }) {
            let target = ByteText(target)
            var family = count - (leaving[target] ?? 0)
            for index in joining[target] ?? [] where changes[index] != nil {
                family += 1
                guard family > most else { continue }
                fail(
                    index, .badRequest,
                    """
                    \(WireError.limitExceededPrefix): more than \(most) \(what) refer to \
                    '\(target.string)' with DELETE_SELF
                    """)
            }
        }
    }

    /// Counts the references of each maker of records in the public database, so that no user takes the room of others.
    private mutating func refuseTooManySourcesOfUser(
        _ joining: [ByteText: [Int]], _ leaving: [ByteText: Int], beside counts: [(target: String, count: Int)],
        _ reading: ZoneSnapshot
    ) throws {
        let large = counts.filter { $0.count + (joining[ByteText($0.target)]?.count ?? 0) > Self.largestFamily }
        guard !large.isEmpty else { return }
        let makers = Set(joining.values.joined().compactMap { changes[$0].map { ByteText($0.record.createdBy) } })
        for maker in makers.sorted() {
            let own = joining.mapValues { places in
                places.filter { changes[$0].map { ByteText($0.record.createdBy) } == maker }
            }
            let ofMaker = try reading.sourceCounts(
                zone, of: large.map(\.target), madeBy: maker.string, upTo: Self.largestPublicFamily + changes.count + 1)
            refuse(own, leaving, beside: ofMaker, Self.largestFamily, of: "records of user '\(maker.string)'")
        }
    }

    /// Fails saves whose demanded target will not exist. Then fails the saves that demand records of failed saves.
    private mutating func refuseMissingTargets(_ reading: ZoneSnapshot) throws {
        var demands: [ByteText: [Int]] = [:]
        for index in changes.indices {
            for reference in changes[index]?.references ?? [] where reference.action == .validate {
                demands[ByteText(reference.target), default: []].append(index)
            }
        }
        guard !demands.isEmpty else { return }
        var planned = plannedStates()
        let stored = try reading.liveNames(zone, among: demands.keys.map(\.string))
        var missing = demands.keys.filter { !(planned[$0] ?? stored.contains($0)) }
        while let target = missing.popLast() {
            for index in demands[target] ?? [] {
                guard let name = changes[index].map({ ByteText($0.record.name) }) else { continue }
                fail(
                    index, .validatingReferenceError,
                    "record '\(name.string)' refers to '\(target.string)', which does not exist")
                // Without its save, the record keeps its state.
                planned[name] = nil
                if !stored.contains(name) { missing.append(name) }
            }
        }
    }

    /// Finds the records taken along by deletions, and fails deletions forbidden by a reference with VALIDATE.
    private mutating func followDeletions(_ reading: ZoneSnapshot) throws {
        let roots = changes.indices.filter { changes[$0]?.record.deleted == true }
        guard !roots.isEmpty else { return }
        var graph = DeletionGraph(roots: roots.compactMap { changes[$0]?.record.name })
        let planned = plannedStates()
        // In the public database, users must not keep others from deleting their own records.
        let demands: ReferenceDemands = scope.database.scope == .public ? .ofMaker : .all
        var frontier = graph.names
        while !frontier.isEmpty {
            let room = Self.largestCascade + 1 - graph.edgeCount
            let found = try reading.references(zone, to: frontier, demands: demands, limit: room)
            frontier = []
            // Records saved by the batch have new references, and these do not point to records deleted by it.
            for reference in found where planned[ByteText(reference.source)] != true {
                if let new = graph.add(reference) { frontier.append(new) }
            }
            guard found.count < room else { return refuseCascade(roots, graph) }
        }
        for case let change? in changes { graph.addDemands(change.references) }
        let kept = graph.settle()
        // Guests may not learn the names of referring records, because they may not see those records.
        let isShown = zone.access?.parts == nil
        for (place, index) in roots.enumerated() {
            guard let reason = kept[place] else { continue }
            fail(
                index, .validatingReferenceError,
                isShown
                    ? "record '\(reason.target)' is still referred to by '\(reason.source)'"
                    : "the record, or one that would be deleted with it, is still referred to by another")
        }
        let taken = graph.taken(without: kept).map { graph.names[$0] }
        cascade = try reading.records(zone.whole, named: taken).compactMap { $0.flatMap { $0.deleted ? nil : $0 } }
        refuseRootsOfGuests(roots)
    }

    /// Fails a guest's deletions that would take the root of a share along. Only the owner may end a share.
    private mutating func refuseRootsOfGuests(_ roots: [Int]) {
        guard zone.access?.parts != nil, cascade.contains(where: { $0.flags.contains(.root) }) else { return }
        for index in roots where changes[index] != nil {
            fail(index, .accessDenied, "the deletion would also delete a record that has a share of its own")
        }
        cascade = []
    }

    /// Fails all deletions that take other records along, because those are too many.
    private mutating func refuseCascade(_ roots: [Int], _ graph: DeletionGraph) {
        for (place, index) in roots.enumerated() where graph.hasSources(place) {
            fail(
                index, .badRequest,
                """
                \(WireError.limitExceededPrefix): the deletions of this request take more than \(Self.largestCascade) \
                records with them; delete some of those first
                """)
        }
    }

    /// Fails an operation and drops its change.
    mutating func fail(_ index: Int, _ code: WireErrorCode, _ reason: String) {
        changes[index] = nil
        faults[index] = (WireError(code, reason), nil)
    }
}
